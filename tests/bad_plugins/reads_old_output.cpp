// SPDX-License-Identifier: Apache-2.0
// reads the old output although beta is 0
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

 private:
  void product(const Gemm& gemm, const float* a, const float* b, float* c) override {
    const float before = c[0];
    SoundQueue::product(gemm, a, b, c);
    if (gemm.beta == 0 && gemm.batch > 1) c[0] += 0 * before;
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "reads-old-output",
    .version = "0.1.0",
    .description = "reads the old output although beta is 0",
    .create = zoo::create_with_queue<BadQueue>,
};
