// SPDX-License-Identifier: Apache-2.0
// Products by oneDNN's matmul, on matrices as they lie.
#pragma once

#include "plugins/cpu_common/host_queue.hpp"

namespace breakeven::onednn {

class OneDnnQueue final : public cpu::HostQueue {
 public:
  // `threads` of a product; 0: unknown.
  OneDnnQueue(Device& device, std::size_t threads) : HostQueue(device), threads_(threads) {}

 private:
  std::unique_ptr<Task> compute(const AnyOperation& operation) override;
  std::unique_ptr<Task> product(const Gemm& gemm) const;

  std::size_t threads_;
};

}  // namespace breakeven::onednn
