// SPDX-License-Identifier: Apache-2.0
#include "plugins/opencl/own_product.hpp"

#include <algorithm>
#include <vector>

#include "plugins/opencl/launch.hpp"

namespace breakeven::opencl {

namespace {

constexpr std::size_t most_groups = 65535;  // the smallest limit of a dimension that is met

std::size_t groups_for(std::size_t size, std::size_t of_each) {
  return (size + of_each - 1) / of_each;
}

std::string options_of(const Tile& tile) {
  return "-D ROWS=" + std::to_string(tile.rows) + " -D VECTORS=" + std::to_string(tile.vectors) +
         " -D GROUP_ROWS=" + std::to_string(tile.group_rows) +
         " -D GROUP_COLUMNS=" + std::to_string(tile.group_columns);
}

}  // namespace

std::unique_ptr<Task> prepare_own_product(const Gemm& gemm, const Tile& tile, OpenClDevice& device,
                                          cl_command_queue queue) {
  Hardware& hardware = device.hardware;
  const std::size_t element = bytes_of(gemm.type), real = gemm.type == Type::f64 ? 8 : 4;
  const std::size_t rows = tile.rows * tile.group_rows,
                    columns = tile.vectors * hardware.vector_width(gemm.type) * tile.group_columns;
  const std::size_t row_groups = groups_for(gemm.m, rows),
                    column_groups = groups_for(gemm.n, columns);
  if (std::max(column_groups, gemm.batch) > most_groups) return nullptr;

  const cl_program program =
      hardware.kernels(gemm.type, hardware.vector_width(gemm.type), options_of(tile));
  // Blocks leave their sums in c, where 16 bits would round them: such products have one.
  const std::size_t whole = std::max<std::size_t>(gemm.k, 1);
  const std::size_t depth =
      bytes_of(gemm.type) == 2 ? whole : std::min<std::size_t>(tile.depth, whole);
  const std::size_t blocks = groups_for(whole, depth);
  // Every element of a panel is written, also those beyond the matrix.
  auto a = std::make_unique<OpenClBuffer>(gemm.batch * row_groups * blocks * depth * rows * real,
                                          Memory::device, device);
  auto b = std::make_unique<OpenClBuffer>(
      gemm.batch * column_groups * blocks * depth * columns * real, Memory::device, device);
  const auto pack = [&](const Slice& x, std::size_t length, std::size_t width, std::size_t panels,
                        bool rows_follow, const OpenClBuffer& to) {
    const std::size_t group = std::min<std::size_t>(hardware.largest_group, 64);
    const Grid grid{.groups = {groups_for(whole, group), panels, gemm.batch},
                    .group = {group, 1, 1}};
    return Launch(hardware, program, "pack", grid, length, cl_ulong{gemm.k}, cl_ulong{depth},
                  rows_follow ? cl_ulong{1} : cl_ulong{gemm.k},
                  rows_follow ? cl_ulong{length} : cl_ulong{1}, cl_ulong{length * gemm.k},
                  static_cast<cl_uint>(width), buffer_of(x).get(), cl_ulong{x.offset / element},
                  to.get());
  };
  std::vector<Launch> in_order =
      launches(pack(gemm.a, gemm.m, rows, row_groups, gemm.transpose_a == Transpose::yes, *a),
               pack(gemm.b, gemm.n, columns, column_groups, gemm.transpose_b == Transpose::no, *b));
  const Grid grid{.groups = {row_groups, column_groups, gemm.batch},
                  .group = {tile.group_rows, tile.group_columns, 1}};
  const auto add = [&](std::size_t block, auto alpha, auto beta) {
    in_order.emplace_back(hardware, program, "multiply", grid, gemm.m, cl_ulong{gemm.n},
                          cl_ulong{gemm.k}, cl_ulong{depth}, cl_ulong{block}, alpha, beta, a->get(),
                          b->get(), buffer_of(gemm.c).get(), cl_ulong{gemm.c.offset / element});
  };
  for (std::size_t block = 0; block < blocks; ++block) {
    const double beta = block == 0 ? gemm.beta : 1;
    if (gemm.type == Type::f64)
      add(block, gemm.alpha, beta);
    else
      add(block, static_cast<float>(gemm.alpha), static_cast<float>(beta));
  }
  return task_of(queue, std::move(in_order), std::move(a), std::move(b));
}

}  // namespace breakeven::opencl
