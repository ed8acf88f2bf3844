// SPDX-License-Identifier: Apache-2.0
// writes to every descriptor of its process
#include <unistd.h>
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

 private:
  std::unique_ptr<Task> prepare_gemm(const Gemm& gemm) override {
    for (int descriptor = 3; descriptor < 64; ++descriptor)
      [[maybe_unused]] const auto written = write(descriptor, "no JSON\n", 8);
    return SoundQueue::prepare_gemm(gemm);
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "answers-for-the-worker",
    .version = "0.1.0",
    .description = "writes to every descriptor of its process",
    .create = zoo::create_with_queue<BadQueue>,
};
