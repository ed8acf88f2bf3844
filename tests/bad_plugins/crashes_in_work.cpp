// SPDX-License-Identifier: Apache-2.0
// dies when it is to compute
#include <csignal>
#include <cstdio>
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

 private:
  std::unique_ptr<Task> prepare_gemm(const Gemm&) override {
    std::fputs("the lion is out\n", stderr);
    std::raise(SIGKILL);
    return nullptr;
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "crashes-in-work",
    .version = "0.1.0",
    .description = "dies when it is to compute",
    .create = zoo::create_with_queue<BadQueue>,
};
