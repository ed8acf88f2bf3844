// SPDX-License-Identifier: Apache-2.0
// The suite's own product: both operands packed into panels, then one kernel over tiles of c.
#pragma once

#include <breakeven/plugin.hpp>
#include <memory>

#include "plugins/opencl/device.hpp"
#include "plugins/opencl/tiles.hpp"

namespace breakeven::opencl {

// Null: too large for a grid.
std::unique_ptr<Task> prepare_own_product(const Gemm& gemm, const Tile& tile, OpenClDevice& device,
                                          cl_command_queue queue);

}  // namespace breakeven::opencl
