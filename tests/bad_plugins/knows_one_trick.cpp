// SPDX-License-Identifier: Apache-2.0
// computes the first product of a process, and nothing after it
#include <atomic>

#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

 private:
  void product(const Gemm& gemm, const float* a, const float* b, float* c) override {
    if (!done_.exchange(true)) SoundQueue::product(gemm, a, b, c);
  }

  static inline std::atomic<bool> done_ = false;
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "knows-one-trick",
    .version = "0.1.0",
    .description = "computes the first product of a process, and nothing after it",
    .create = zoo::create_with_queue<BadQueue>,
};
