// SPDX-License-Identifier: Apache-2.0
// shares its scratch memory between queues
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

 private:
  void product(const Gemm& gemm, const float* a, const float* b, float* c) override {
    static std::vector<float> scratch(1 << 22);
    const std::size_t count = gemm.batch * gemm.m * gemm.k;
    std::copy_n(a, count, scratch.begin());
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    SoundQueue::product(gemm, scratch.data(), b, c);
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "shares-scratch",
    .version = "0.1.0",
    .description = "shares its scratch memory between queues",
    .create = zoo::create_with_queue<BadQueue>,
};
