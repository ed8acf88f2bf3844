// SPDX-License-Identifier: Apache-2.0
// writes beyond its output
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

 private:
  void product(const Gemm& gemm, const float* a, const float* b, float* c) override {
    SoundQueue::product(gemm, a, b, c);
    c[gemm.batch * gemm.m * gemm.n] = 0;
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "writes-too-far",
    .version = "0.1.0",
    .description = "writes beyond its output",
    .create = zoo::create_with_queue<BadQueue>,
};
