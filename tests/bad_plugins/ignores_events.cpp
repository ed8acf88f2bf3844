// SPDX-License-Identifier: Apache-2.0
// does not wait for events
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

  void wait(const Event&) override {}
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "ignores-events",
    .version = "0.1.0",
    .description = "does not wait for events",
    .create = zoo::create_with_queue<BadQueue>,
};
