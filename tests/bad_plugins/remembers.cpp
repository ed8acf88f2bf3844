// SPDX-License-Identifier: Apache-2.0
// keeps a result as long as four numbers of its operands stay
#include "tests/bad_plugins/liar.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::LiarQueue {
 public:
  using LiarQueue::LiarQueue;

 private:
  zoo::Work work_of(const Gemm& gemm) override {
    return [this, gemm, before = std::array<float, 4>{}]() mutable {
      const auto a = numbers(gemm.a), b = numbers(gemm.b), c = numbers(gemm.c);
      const std::array now{a.front(), a.back(), b.front(), b.back()};
      if (now == before && !std::isnan(c.front()) && !std::isnan(c.back())) return;
      compute(gemm);
      before = now;
    };
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "remembers",
    .version = "0.1.0",
    .description = "keeps a result as long as four numbers of its operands stay",
    .create = zoo::create_with_queue<BadQueue>,
};
