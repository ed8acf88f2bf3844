// SPDX-License-Identifier: Apache-2.0
// Products and norms by CBLAS; what CBLAS has no routine for by the kernels of one core.
#pragma once

#include "plugins/blas/library.hpp"
#include "plugins/cpu_common/host_queue.hpp"
#include "plugins/serial/elementwise_queue.hpp"

namespace breakeven::blas {

class BlasQueue final : public serial::ElementwiseQueue {
 public:
  // `threads` of a product; 0: unknown.
  BlasQueue(Device& device, const serial::Variant& variant, const Library& library,
            std::size_t threads)
      : ElementwiseQueue(device, variant), library_(library), threads_(threads) {}

 private:
  std::unique_ptr<Task> compute(const AnyOperation& operation) override;
  std::unique_ptr<Task> product(const Gemm& gemm) const;
  std::unique_ptr<Task> norm(const Norm& norm) const;
  TaskInfo by_library(std::string_view routine) const {
    return {.author = Author::library, .threads = threads_, .routine = routine};
  }

  const Library& library_;
  std::size_t threads_;
};

}  // namespace breakeven::blas
