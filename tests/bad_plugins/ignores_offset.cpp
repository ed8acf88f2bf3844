// SPDX-License-Identifier: Apache-2.0
// copies from the start of the buffer
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

 private:
  std::unique_ptr<Task> prepare_copy(const Copy& copy) override {
    Copy from_the_start = copy;
    from_the_start.from.offset = 0;
    return SoundQueue::prepare_copy(from_the_start);
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "ignores-offset",
    .version = "0.1.0",
    .description = "copies from the start of the buffer",
    .create = zoo::create_with_queue<BadQueue>,
};
