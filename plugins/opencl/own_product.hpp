// SPDX-License-Identifier: Apache-2.0
// The suite's own product: both operands packed into panels, then one kernel over tiles of c.
#pragma once

#include <breakeven/plugin.hpp>
#include <memory>
#include <string>

#include "plugins/opencl/device.hpp"

namespace breakeven::opencl {

// Of c, an item computes `rows` by `vectors` of the device's vectors; a group has `group_rows` by
// `group_columns` items.
struct Tile {
  unsigned rows, vectors, group_rows, group_columns;
  bool operator==(const Tile&) const = default;
};

// What is taken where nothing was tuned.
Tile usual_tile(const Hardware& hardware, Type type);

// Null: too large for a grid.
std::unique_ptr<Task> prepare_own_product(const Gemm& gemm, const Tile& tile, OpenClDevice& device,
                                          cl_command_queue queue);

}  // namespace breakeven::opencl
