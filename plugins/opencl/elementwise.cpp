// SPDX-License-Identifier: Apache-2.0
// The empty kernel and the elementwise ones.
#include "plugins/opencl/launch.hpp"
#include "plugins/opencl/operations.hpp"

namespace breakeven::opencl {

namespace {

// Each operand is handed over as its buffer and its first element.
template <class... Operands>
std::unique_ptr<Task> elementwise(const char* kernel, Type type, std::size_t n,
                                  OpenClDevice& device, cl_command_queue queue,
                                  const Operands&... operands) {
  const std::size_t element = bytes_of(type);
  if (!computable(device, {Operand{operands.name, operands.slice, n, element}...})) return nullptr;
  Hardware& hardware = device.hardware;
  if (type == Type::f64 && !hardware.has_f64) return nullptr;
  if (n == 0) return task_of(queue, {});
  const unsigned width = hardware.streamed_width(type);
  const auto first = [&](const Operand& operand) -> cl_ulong {
    return operand.slice.offset / element;
  };
  return std::apply(
      [&](const auto&... arguments) {
        return task_of(queue,
                       launches(Launch(hardware, hardware.kernels(type, width), kernel,
                                       line(hardware, (n + width - 1) / width), n, arguments...)));
      },
      std::tuple_cat(std::tuple{buffer_of(operands.slice).get(), first(operands)}...));
}

}  // namespace

std::unique_ptr<Task> prepare(const Nothing&, OpenClDevice& device, cl_command_queue queue) {
  Hardware& hardware = device.hardware;
  return task_of(
      queue,
      launches(Launch(hardware, hardware.kernels(Type::f32, hardware.streamed_width(Type::f32)),
                      "nothing", line(hardware, 1), 0)));
}

std::unique_ptr<Task> prepare(const MultiplyAdd& o, OpenClDevice& device, cl_command_queue queue) {
  return elementwise("multiply_add", o.type, o.n, device, queue, Operand{"a", o.a},
                     Operand{"b", o.b}, Operand{"c", o.c}, Operand{"out", o.out});
}

std::unique_ptr<Task> prepare(const Tanh& o, OpenClDevice& device, cl_command_queue queue) {
  return elementwise("hyperbolic_tangent", o.type, o.n, device, queue, Operand{"x", o.x},
                     Operand{"out", o.out});
}

std::unique_ptr<Task> prepare(const TanhGradient& o, OpenClDevice& device, cl_command_queue queue) {
  return elementwise("tanh_gradient", o.type, o.n, device, queue, Operand{"h", o.h},
                     Operand{"d", o.d}, Operand{"out", o.out});
}

}  // namespace breakeven::opencl
