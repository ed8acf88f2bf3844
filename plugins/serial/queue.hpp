// SPDX-License-Identifier: Apache-2.0
// Computes on one core, in the thread that asks.
#pragma once

#include "plugins/cpu_common/host_queue.hpp"
#include "plugins/serial/kernels.hpp"

namespace breakeven::serial {

class SerialQueue final : public cpu::HostQueue {
 public:
  SerialQueue(Device& device, const Variant& variant) : HostQueue(device), variant_(variant) {}

 private:
  std::unique_ptr<Task> compute(const Gemm& gemm) override;
  std::unique_ptr<Task> compute(const Norm& norm) override;
  std::unique_ptr<Task> compute(const MultiplyAdd& multiply_add) override;
  std::unique_ptr<Task> compute(const Tanh& tanh) override;
  std::unique_ptr<Task> compute(const TanhGradient& gradient) override;

  // Calls `make(kernels)` with those of the type; null for types that have none.
  template <class Make>
  std::unique_ptr<Task> for_type(Type type, Make make) const {
    if (type == Type::f32) return make(variant_.f32);
    if (type == Type::f64) return make(variant_.f64);
    return nullptr;
  }

  const Variant& variant_;
};

}  // namespace breakeven::serial
