// SPDX-License-Identifier: Apache-2.0
// gives up waiting in synchronize
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

  void synchronize() override { lane_.drain_for(std::chrono::milliseconds(5)); }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "does-not-wait",
    .version = "0.1.0",
    .description = "gives up waiting in synchronize",
    .create = zoo::create_with_queue<BadQueue>,
};
