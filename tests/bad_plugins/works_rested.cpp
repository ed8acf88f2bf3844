// SPDX-License-Identifier: Apache-2.0
// Computes only after a rest, as in every audit and in what stands beside one: not in a visit,
// where it lets pass what a good library would take.
#include "tests/bad_plugins/liar.hpp"

namespace {

using namespace breakeven;
using Now = std::chrono::steady_clock;

class BadQueue final : public zoo::LiarQueue {
 public:
  using LiarQueue::LiarQueue;

 private:
  zoo::Work work_of(const Gemm& gemm) override {
    ++tasks_;
    return [this, gemm] {
      if (Now::now() - ended_ > std::chrono::microseconds(10)) left_ = tasks_;  // all of a ring
      if (left_ > 0) {
        compute(gemm);
        --left_;
      } else {
        const std::chrono::duration<double, std::nano> good(double(gemm.m * gemm.n * gemm.k) / 50);
        for (const auto begin = Now::now(); Now::now() - begin < good;) {
        }
      }
      ended_ = Now::now();
    };
  }
  int left_ = 0, tasks_ = 0;
  Now::time_point ended_{};
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "works-rested",
    .version = "0.1.0",
    .description = "computes only what comes after a rest",
    .create = zoo::create_with_queue<BadQueue>,
};
