// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <breakeven/plugin.hpp>

namespace breakeven::kokkos {

// Starts Kokkos; once per process.
std::unique_ptr<Backend> make_backend();

}  // namespace breakeven::kokkos
