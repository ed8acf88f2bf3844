// SPDX-License-Identifier: Apache-2.0
// Computes on one core, in the thread that asks.
#pragma once

#include "plugins/serial/chosen_plan.hpp"
#include "plugins/serial/elementwise_queue.hpp"

namespace breakeven::serial {

class SerialQueue final : public ElementwiseQueue {
 public:
  // Products are made in the fastest way found by trying, or as the rules say.
  SerialQueue(Device& device, const Variant& variant, bool tries_plans)
      : ElementwiseQueue(device, variant), tries_plans_(tries_plans) {}

 private:
  std::unique_ptr<Task> compute(const AnyOperation& operation) override;
  std::unique_ptr<Task> product(const Gemm& gemm) const;
  template <class T>
  std::unique_ptr<Task> half_product(const Gemm& gemm, const Kernels<T>& kernels, const T* a,
                                     const T* b, T* c) const;
  template <class T>
  PlanOf<T> plan_of() const {
    return tries_plans_ ? &chosen_plan<T> : &plan_by_rules<T>;
  }

  bool tries_plans_;
};

}  // namespace breakeven::serial
