// SPDX-License-Identifier: Apache-2.0
// The elementwise operations on one core, in the thread that asks.
#pragma once

#include <type_traits>

#include "plugins/cpu_common/host_queue.hpp"
#include "plugins/serial/kernels/kernels.hpp"

namespace breakeven::serial {

class ElementwiseQueue : public cpu::HostQueue {
 public:
  ElementwiseQueue(Device& device, const Variant& variant) : HostQueue(device), variant_(variant) {}

 protected:
  // Calls `make(kernels)` with those of the type; null for 16-bit types.
  template <class Make>
  std::unique_ptr<Task> for_type(Type type, Make make) const {
    if (type == Type::f32) return make(variant_.f32);
    if (type == Type::f64) return make(variant_.f64);
    return nullptr;
  }

  const Variant& variant() const { return variant_; }

  // Those of 16 bits too.
  template <class Make>
  std::unique_ptr<Task> for_every_type(Type type, Make make) const {
    if (type == Type::f16) return make(variant_.f16);
    if (type == Type::bf16) return make(variant_.bf16);
    return for_type(type, make);
  }

  // Of one core, by this plugin.
  TaskInfo own(std::string_view routine) const {
    return {.author = Author::plugin, .threads = 1, .routine = routine};
  }

  std::unique_ptr<Task> compute(const AnyOperation& operation) override {
    return dispatch(
        operation, [this](const MultiplyAdd& one) { return multiply_add(one); },
        [this](const Tanh& one) { return tanh(one); },
        [this](const TanhGradient& one) { return tanh_gradient(one); },
        [this](const Sum& one) {
          return reduction(one, "sum", [](const auto& kernels) { return kernels.sum; });
        });
  }

  // One number of each of a batch of vectors, by the kernel that `kernel_of` takes from a table.
  template <class One, class KernelOf>
  std::unique_ptr<Task> reduction(const One& one, std::string_view name, KernelOf kernel_of) const {
    return for_every_type(one.type, [&]<class T>(const Kernels<T>& kernels) {
      using Out = std::conditional_t<Half<T>, float, T>;
      const T* x = operand<T>(one.x, cpu::checked_product(one.n, one.batch), "x");
      Out* out = operand<Out>(one.out, one.batch, "out");
      return cpu::make_task(
          [run = kernel_of(kernels), n = one.n, batch = one.batch, x, out] {
            for (std::size_t i = 0; i < batch; ++i) out[i] = run(n, x + i * n);
          },
          own(name));
    });
  }

 private:
  std::unique_ptr<Task> multiply_add(const MultiplyAdd& one) const {
    return for_every_type(one.type, [&]<class T>(const Kernels<T>& kernels) {
      const T* a = operand<T>(one.a, one.n, "a");
      const T* b = operand<T>(one.b, one.n, "b");
      const T* c = operand<T>(one.c, one.n, "c");
      T* out = operand<T>(one.out, one.n, "out");
      return cpu::make_task(
          [run = kernels.multiply_add, n = one.n, a, b, c, out] { run(n, a, b, c, out); },
          own("multiply_add"));
    });
  }

  std::unique_ptr<Task> tanh(const Tanh& one) const {
    return for_every_type(one.type, [&]<class T>(const Kernels<T>& kernels) {
      const T* x = operand<T>(one.x, one.n, "x");
      T* out = operand<T>(one.out, one.n, "out");
      return cpu::make_task([run = kernels.tanh, n = one.n, x, out] { run(n, x, out); },
                            own("tanh"));
    });
  }

  std::unique_ptr<Task> tanh_gradient(const TanhGradient& one) const {
    return for_every_type(one.type, [&]<class T>(const Kernels<T>& kernels) {
      const T* h = operand<T>(one.h, one.n, "h");
      const T* d = operand<T>(one.d, one.n, "d");
      T* out = operand<T>(one.out, one.n, "out");
      return cpu::make_task(
          [run = kernels.tanh_gradient, n = one.n, h, d, out] { run(n, h, d, out); },
          own("tanh_gradient"));
    });
  }

  const Variant& variant_;
};

}  // namespace breakeven::serial
