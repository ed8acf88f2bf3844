// SPDX-License-Identifier: Apache-2.0
// Products and norms by CBLAS; what CBLAS has no routine for by the kernels of one core.
#pragma once

#include "plugins/blas/library.hpp"
#include "plugins/cpu_common/host_queue.hpp"
#include "plugins/serial/elementwise_queue.hpp"

namespace breakeven::blas {

class BlasQueue final : public serial::ElementwiseQueue {
 public:
  BlasQueue(Device& device, const serial::Variant& variant, const Library& library)
      : ElementwiseQueue(device, variant), library_(library) {}

 private:
  using ElementwiseQueue::compute;
  std::unique_ptr<Task> compute(const Gemm& gemm) override;
  std::unique_ptr<Task> compute(const Norm& norm) override;

  const Library& library_;
};

}  // namespace breakeven::blas
