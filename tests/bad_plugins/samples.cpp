// SPDX-License-Identifier: Apache-2.0
// gives back a result it has kept as long as every 64th number of its operands stays
#include "tests/bad_plugins/liar.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::LiarQueue {
 public:
  using LiarQueue::LiarQueue;

 private:
  zoo::Work work_of(const Gemm& gemm) override {
    return [this, gemm, before = 0.0, kept = std::vector<char>()]() mutable {
      const double now = digest(gemm.a, 64) + 3 * digest(gemm.b, 64);
      if (now == before && !kept.empty()) return restore(kept, gemm.c);
      compute(gemm);
      before = now;
      keep(gemm.c, kept);
    };
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "samples",
    .version = "0.1.0",
    .description =
        "gives back a result it has kept as long as every 64th number of its operands stays",
    .create = zoo::create_with_queue<BadQueue>,
};
