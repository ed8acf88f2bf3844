// SPDX-License-Identifier: Apache-2.0
// Norms: work-items sum squares of their share of a vector, and one group adds those up.
#include <algorithm>
#include <memory>

#include "plugins/opencl/buffer.hpp"
#include "plugins/opencl/launch.hpp"
#include "plugins/opencl/operations.hpp"

namespace breakeven::opencl {

std::unique_ptr<Task> prepare(const Norm& norm, OpenClDevice& device, cl_command_queue queue) {
  const std::size_t element = bytes_of(norm.type), result = norm.type == Type::f64 ? 8 : 4;
  if (!computable(device, {{"x", norm.x, product({norm.batch, norm.n}), element},
                           {"out", norm.out, norm.batch, result}}))
    return nullptr;
  Hardware& hardware = device.hardware;
  if (norm.type == Type::f64 && !hardware.has_f64) return nullptr;
  if (norm.batch == 0) return make_task([] {});

  // On a CPU each item reads a piece of its own, on a GPU neighbours read neighbours.
  const std::size_t width = hardware.vector_width(norm.type);
  const std::size_t wanted = std::size_t{hardware.compute_units} * (hardware.is_cpu() ? 8 : 1024);
  const std::size_t vectors = norm.n / width + 1;
  const std::size_t shares = std::clamp<std::size_t>(vectors / 16, 1, wanted);
  const std::size_t piece = (vectors + shares - 1) / shares * width;
  const cl_ulong start = hardware.is_cpu() ? piece : width,
                 step = hardware.is_cpu() ? width : shares * width,
                 length = hardware.is_cpu() ? piece : norm.n;
  const std::size_t items = norm.batch * shares;
  const std::size_t most =
      hardware.is_cpu() ? std::clamp<std::size_t>(items / (hardware.compute_units * 8), 1, 64) : 64;

  const cl_program program = hardware.kernels(norm.type);
  auto sums = std::make_unique<OpenClBuffer>(norm.batch * shares * result, Memory::device, device);
  const std::size_t group =
      std::min<std::size_t>(hardware.largest_group, hardware.is_cpu() ? 1 : 256);
  const Grid groups{.groups = {norm.batch, 1, 1}, .group = {group, 1, 1}};
  Launch squares(hardware, program, "squares", line(hardware, items, most), norm.batch,
                 cl_ulong{norm.n}, cl_ulong{shares}, start, step, length, buffer_of(norm.x).get(),
                 cl_ulong{norm.x.offset / element}, sums->get());
  Launch root(hardware, program, "root", groups, shares, sums->get(), buffer_of(norm.out).get(),
              cl_ulong{norm.out.offset / result});
  return make_task(
      [queue, kept = std::move(sums), squares = std::move(squares), root = std::move(root)] {
        squares.enqueue(queue);
        root.enqueue(queue);
        flush(queue);
      });
}

}  // namespace breakeven::opencl
