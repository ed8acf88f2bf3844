// SPDX-License-Identifier: Apache-2.0
// leaves out every second repetition
#include "tests/bad_plugins/liar.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::LiarQueue {
 public:
  using LiarQueue::LiarQueue;

 private:
  zoo::Work work_of(const Gemm& gemm) override {
    return [this, gemm, times = 0]() mutable {
      if (times++ % 2 == 0) compute(gemm);
    };
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "skips-every-other",
    .version = "0.1.0",
    .description = "leaves out every second repetition",
    .create = zoo::create_with_queue<BadQueue>,
};
