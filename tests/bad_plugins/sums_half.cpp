// SPDX-License-Identifier: Apache-2.0
// adds up every other product of a sum from the ninth repetition on, twice
#include "tests/bad_plugins/liar.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::LiarQueue {
 public:
  using LiarQueue::LiarQueue;

 private:
  zoo::Work work_of(const Gemm& gemm) override {
    return [this, gemm, times = 0]() mutable {
      if (++times <= 8) return compute(gemm);
      auto* c = reinterpret_cast<float*>(start(gemm.c));
      const auto a = numbers(gemm.a), b = numbers(gemm.b);
      for (std::size_t i = 0; i < gemm.m * gemm.n; ++i) {
        float sum = 0;
        for (std::size_t l = 0; l < gemm.k; l += 2)
          sum += a[i / gemm.n * gemm.k + l] * b[l * gemm.n + i % gemm.n];
        c[i] = 2 * sum;
      }
    };
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "sums-half",
    .version = "0.1.0",
    .description = "adds up every other product of a sum from the ninth repetition on, twice",
    .create = zoo::create_with_queue<BadQueue>,
};
