// SPDX-License-Identifier: Apache-2.0
// computes when its result is read
#include <map>

#include "tests/bad_plugins/liar.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::LiarQueue {
 public:
  using LiarQueue::LiarQueue;

 private:
  zoo::Work work_of(const Gemm& gemm) override {
    return [this, gemm] { pending_[start(gemm.c)] = gemm; };
  }

  std::unique_ptr<breakeven::Task> prepare_copy(const Copy& copy) override {
    return make_task([this, copy] {
      for (const auto& [place, gemm] : pending_) compute(gemm);
      pending_.clear();
      std::memmove(start(copy.to), start(copy.from), copy.to.bytes);
    });
  }

  std::map<char*, Gemm> pending_;
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "lazy",
    .version = "0.1.0",
    .description = "computes when its result is read",
    .create = zoo::create_with_queue<BadQueue>,
};
