// SPDX-License-Identifier: Apache-2.0
// A queue is an instance of the execution space.
#pragma once

#include "device.hpp"

namespace breakeven::kokkos {

std::unique_ptr<Queue> make_queue(const SpaceDevice& device, Space space);

}  // namespace breakeven::kokkos
