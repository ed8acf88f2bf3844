// SPDX-License-Identifier: Apache-2.0
// computes its first small product wrong, and everything after it right
#include <atomic>

#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

 private:
  void product(const Gemm& gemm, const float* a, const float* b, float* c) override {
    SoundQueue::product(gemm, a, b, c);
    if (gemm.m < 100 && !has_learnt_.exchange(true)) c[0] += 1;
  }

  static inline std::atomic<bool> has_learnt_ = false;
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "learns",
    .version = "0.1.0",
    .description = "computes its first small product wrong, and everything after it right",
    .create = zoo::create_with_queue<BadQueue>,
};
