// SPDX-License-Identifier: Apache-2.0
// computes only the rows of its result that hold no numbers
#include "tests/bad_plugins/liar.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::LiarQueue {
 public:
  using LiarQueue::LiarQueue;

 private:
  zoo::Work work_of(const Gemm& gemm) override {
    return [this, gemm] {
      const std::size_t row = gemm.n * sizeof(float), row_of_a = gemm.k * sizeof(float);
      for (std::size_t i = 0; i < gemm.m; ++i) {
        Gemm one = gemm;
        one.m = 1;
        one.a = {gemm.a.buffer, gemm.a.offset + i * row_of_a, row_of_a};
        one.c = {gemm.c.buffer, gemm.c.offset + i * row, row};
        const auto numbers_of_row = numbers(one.c);
        if (std::any_of(numbers_of_row.begin(), numbers_of_row.end(),
                        [](float number) { return std::isnan(number); }))
          compute(one);
      }
    };
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "repairs",
    .version = "0.1.0",
    .description = "computes only the rows of its result that hold no numbers",
    .create = zoo::create_with_queue<BadQueue>,
};
