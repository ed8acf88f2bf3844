// SPDX-License-Identifier: Apache-2.0
// computes on operands of another device
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

 private:
  void require_own(const Slice&) override {}
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "accepts-foreign-operands",
    .version = "0.1.0",
    .description = "computes on operands of another device",
    .create = zoo::create_with_queue<BadQueue>,
};
