// SPDX-License-Identifier: Apache-2.0
// computes only after something was copied
#include "tests/bad_plugins/liar.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::LiarQueue {
 public:
  using LiarQueue::LiarQueue;

 private:
  zoo::Work work_of(const Gemm& gemm) override {
    return [this, gemm, before = 0]() mutable {
      if (std::exchange(before, copies_) != copies_) compute(gemm);
    };
  }

  std::unique_ptr<breakeven::Task> prepare_copy(const Copy& copy) override {
    return make_task([this, copy] {
      ++copies_;
      std::memmove(start(copy.to), start(copy.from), copy.to.bytes);
    });
  }

  int copies_ = 1;
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "watches-copies",
    .version = "0.1.0",
    .description = "computes only after something was copied",
    .create = zoo::create_with_queue<BadQueue>,
};
