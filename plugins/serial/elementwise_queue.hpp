// SPDX-License-Identifier: Apache-2.0
// The elementwise operations on one core, in the thread that asks.
#pragma once

#include "plugins/cpu_common/host_queue.hpp"
#include "plugins/serial/kernels/kernels.hpp"

namespace breakeven::serial {

class ElementwiseQueue : public cpu::HostQueue {
 public:
  ElementwiseQueue(Device& device, const Variant& variant) : HostQueue(device), variant_(variant) {}

 protected:
  using HostQueue::compute;

  // Calls `make(kernels)` with those of the type; null for 16-bit types.
  template <class Make>
  std::unique_ptr<Task> for_type(Type type, Make make) const {
    if (type == Type::f32) return make(variant_.f32);
    if (type == Type::f64) return make(variant_.f64);
    return nullptr;
  }

  const Kernels<float>& f32_kernels() const { return variant_.f32; }

  // Those of 16 bits too.
  template <class Make>
  std::unique_ptr<Task> for_every_type(Type type, Make make) const {
    if (type == Type::f16) return make(variant_.f16);
    if (type == Type::bf16) return make(variant_.bf16);
    return for_type(type, make);
  }

  std::unique_ptr<Task> compute(const MultiplyAdd& multiply_add) final {
    return for_every_type(multiply_add.type, [&]<class T>(const Kernels<T>& kernels) {
      const std::size_t n = multiply_add.n;
      const T* a = operand<T>(multiply_add.a, n, "a");
      const T* b = operand<T>(multiply_add.b, n, "b");
      const T* c = operand<T>(multiply_add.c, n, "c");
      T* out = operand<T>(multiply_add.out, n, "out");
      return cpu::make_task(
          [run = kernels.multiply_add, n, a, b, c, out] { run(n, a, b, c, out); });
    });
  }

  std::unique_ptr<Task> compute(const Tanh& tanh) final {
    return for_every_type(tanh.type, [&]<class T>(const Kernels<T>& kernels) {
      const T* x = operand<T>(tanh.x, tanh.n, "x");
      T* out = operand<T>(tanh.out, tanh.n, "out");
      return cpu::make_task([run = kernels.tanh, n = tanh.n, x, out] { run(n, x, out); });
    });
  }

  std::unique_ptr<Task> compute(const TanhGradient& gradient) final {
    return for_every_type(gradient.type, [&]<class T>(const Kernels<T>& kernels) {
      const T* h = operand<T>(gradient.h, gradient.n, "h");
      const T* d = operand<T>(gradient.d, gradient.n, "d");
      T* out = operand<T>(gradient.out, gradient.n, "out");
      return cpu::make_task(
          [run = kernels.tanh_gradient, n = gradient.n, h, d, out] { run(n, h, d, out); });
    });
  }

 private:
  const Variant& variant_;
};

}  // namespace breakeven::serial
