// SPDX-License-Identifier: Apache-2.0
// computes once, and hands out that result ever after
#include "tests/bad_plugins/liar.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::LiarQueue {
 public:
  using LiarQueue::LiarQueue;

 private:
  zoo::Work work_of(const Gemm& gemm) override {
    return [this, gemm, kept = std::vector<char>(), times = 0]() mutable {
      if (++times > 8) return restore(kept, gemm.c);
      compute(gemm);
      keep(gemm.c, kept);
    };
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "keeps-the-first",
    .version = "0.1.0",
    .description = "computes once, and hands out that result ever after",
    .create = zoo::create_with_queue<BadQueue>,
};
