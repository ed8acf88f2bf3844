// SPDX-License-Identifier: Apache-2.0
// computes its first hundred small products right, and none after them
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
    if (gemm.m < 100 && ++products_ > 100) c[0] += 1;
  }

  static inline std::atomic<int> products_ = 0;
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "forgets",
    .version = "0.1.0",
    .description = "computes its first hundred small products right, and none after them",
    .create = zoo::create_with_queue<BadQueue>,
};
