// SPDX-License-Identifier: Apache-2.0
// computes a quarter of the rows from the ninth repetition on
#include "tests/bad_plugins/liar.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::LiarQueue {
 public:
  using LiarQueue::LiarQueue;

 private:
  zoo::Work work_of(const Gemm& gemm) override {
    return [this, gemm, times = 0]() mutable {
      Gemm part = gemm;
      if (++times > 8) part.m = std::max<std::size_t>(1, gemm.m / 4);
      compute(part);
    };
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "does-a-quarter",
    .version = "0.1.0",
    .description = "computes a quarter of the rows from the ninth repetition on",
    .create = zoo::create_with_queue<BadQueue>,
};
