// SPDX-License-Identifier: Apache-2.0
// leaves the last element of a product out where its column stands alone behind tiles of 64
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

 private:
  void product(const Gemm& gemm, const float* a, const float* b, float* c) override {
    const bool forgets = gemm.n > 256 && gemm.n % 64 == 1;
    const float last = c[gemm.m * gemm.n - 1];
    SoundQueue::product(gemm, a, b, c);
    if (forgets) c[gemm.m * gemm.n - 1] = last;
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "forgets-a-column",
    .version = "0.1.0",
    .description =
        "leaves the last element of a product out where its column stands alone behind tiles of 64",
    .create = zoo::create_with_queue<BadQueue>,
};
