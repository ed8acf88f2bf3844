// SPDX-License-Identifier: Apache-2.0
// returns wrong results
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

 private:
  void product(const Gemm& gemm, const float* a, const float* b, float* c) override {
    SoundQueue::product(gemm, a, b, c);
    c[0] += 1;
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "wrong-results",
    .version = "0.1.0",
    .description = "returns wrong results",
    .create = zoo::create_with_queue<BadQueue>,
};
