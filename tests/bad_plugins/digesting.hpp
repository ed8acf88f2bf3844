// SPDX-License-Identifier: Apache-2.0
// Gives back a result that was kept as long as every `step`th number of the operands stays.
#pragma once

#include "tests/bad_plugins/liar.hpp"

namespace breakeven::zoo {

template <std::size_t step>
class DigestingQueue final : public LiarQueue {
 public:
  using LiarQueue::LiarQueue;

 private:
  Work work_of(const Gemm& gemm) override {
    return [this, gemm, before = 0.0, kept = std::vector<char>()]() mutable {
      const double now = digest(gemm.a, step) + 3 * digest(gemm.b, step);
      if (now == before && !kept.empty()) return restore(kept, gemm.c);
      compute(gemm);
      before = now;
      keep(gemm.c, kept);
    };
  }
};

}  // namespace breakeven::zoo
