// SPDX-License-Identifier: Apache-2.0
// computes while operands are copied in, and hands out what it has
#include <deque>

#include "tests/bad_plugins/liar.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::LiarQueue {
 public:
  using LiarQueue::LiarQueue;

 private:
  struct Known {
    Gemm gemm;
    std::vector<char> result;
  };

  zoo::Work work_of(const Gemm& gemm) override {
    products_.push_back({gemm, {}});
    return [this, gemm, at = products_.size() - 1] {
      if (products_[at].result.empty()) compute_known(products_[at]);
      restore(products_[at].result, gemm.c);
    };
  }

  std::unique_ptr<breakeven::Task> prepare_copy(const Copy& copy) override {
    return make_task([this, copy] {
      std::memmove(start(copy.to), start(copy.from), copy.to.bytes);
      for (Known& known : products_)
        if (copy.to.buffer == known.gemm.a.buffer || copy.to.buffer == known.gemm.b.buffer)
          compute_known(known);
    });
  }

  void compute_known(Known& known) {
    compute(known.gemm);
    keep(known.gemm.c, known.result);
  }

  std::deque<Known> products_;
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "works-ahead",
    .version = "0.1.0",
    .description = "computes while operands are copied in, and hands out what it has",
    .create = zoo::create_with_queue<BadQueue>,
};
