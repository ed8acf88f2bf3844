// SPDX-License-Identifier: Apache-2.0
// Sums of rows and norms: work-items sum their share of a row, and one group adds those up.
#include <algorithm>
#include <memory>

#include "plugins/opencl/launch.hpp"
#include "plugins/opencl/operations.hpp"

namespace breakeven::opencl {

namespace {

template <class Rows>
std::unique_ptr<Task> sums_of(const Rows& rows, bool squared, OpenClDevice& device,
                              cl_command_queue queue) {
  const std::size_t element = bytes_of(rows.type), result = rows.type == Type::f64 ? 8 : 4;
  if (!computable(device, {{"x", rows.x, product({rows.batch, rows.n}), element},
                           {"out", rows.out, rows.batch, result}}))
    return nullptr;
  Hardware& hardware = device.hardware;
  if (rows.type == Type::f64 && !hardware.has_f64) return nullptr;
  if (rows.batch == 0) return task_of(queue, {});

  // On a CPU each item reads a piece of its own, on a GPU neighbours read neighbours.
  const unsigned width = hardware.streamed_width(rows.type);
  const std::size_t wanted = std::size_t{hardware.compute_units} * (hardware.is_cpu() ? 8 : 1024);
  const std::size_t vectors = rows.n / width + 1;
  const std::size_t shares = std::clamp<std::size_t>(vectors / 16, 1, wanted);
  const std::size_t piece = (vectors + shares - 1) / shares * width;
  const cl_ulong start = hardware.is_cpu() ? piece : width,
                 step = hardware.is_cpu() ? width : shares * width,
                 length = hardware.is_cpu() ? piece : rows.n;
  const std::size_t items = rows.batch * shares;
  const std::size_t most =
      hardware.is_cpu() ? std::clamp<std::size_t>(items / (hardware.compute_units * 8), 1, 64) : 64;

  const cl_program program = hardware.kernels(rows.type, width);
  auto sums = std::make_unique<OpenClBuffer>(items * result, Memory::device, device);
  const cl_mem of_shares = sums->get();
  const std::size_t group =
      std::min<std::size_t>(hardware.largest_group, hardware.is_cpu() ? 1 : 256);
  const Grid groups{.groups = {rows.batch, 1, 1}, .group = {group, 1, 1}};
  const cl_uint squares = squared;
  return task_of(
      queue,
      launches(Launch(hardware, program, "sum_shares", line(hardware, items, most), rows.batch,
                      squares, cl_ulong{rows.n}, cl_ulong{shares}, start, step, length,
                      buffer_of(rows.x).get(), cl_ulong{rows.x.offset / element}, of_shares),
               Launch(hardware, program, "join_shares", groups, shares, squares, of_shares,
                      buffer_of(rows.out).get(), cl_ulong{rows.out.offset / result})),
      std::move(sums));
}

}  // namespace

std::unique_ptr<Task> prepare(const Norm& norm, OpenClDevice& device, cl_command_queue queue) {
  return sums_of(norm, true, device, queue);
}

std::unique_ptr<Task> prepare(const Sum& sum, OpenClDevice& device, cl_command_queue queue) {
  return sums_of(sum, false, device, queue);
}

}  // namespace breakeven::opencl
