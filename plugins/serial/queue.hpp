// SPDX-License-Identifier: Apache-2.0
// Computes on one core, in the thread that asks.
#pragma once

#include "plugins/serial/chosen_plan.hpp"
#include "plugins/serial/elementwise_queue.hpp"

namespace breakeven::serial {

class SerialQueue final : public ElementwiseQueue {
 public:
  SerialQueue(Device& device, const Variant& variant, const PlanOf& plan_of)
      : ElementwiseQueue(device, variant), plan_of_(plan_of) {}

 private:
  std::unique_ptr<Task> compute(const AnyOperation& operation) override;
  std::unique_ptr<Task> product(const Gemm& gemm) const;
  // Of 16-bit types: what is to be done, and its routine.
  struct HalfProduct {
    cpu::Run run;
    std::string_view routine;
  };
  template <class T>
  HalfProduct half_product(const Kernels<T>& kernels, const Product<T>& product) const;

  PlanOf plan_of_;
};

}  // namespace breakeven::serial
