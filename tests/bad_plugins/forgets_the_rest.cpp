// SPDX-License-Identifier: Apache-2.0
// does only the first task of a sequence
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

  std::unique_ptr<Task> sequence(std::span<Task* const> tasks) override {
    return SoundQueue::sequence(tasks.first(1));
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "forgets-the-rest",
    .version = "0.1.0",
    .description = "does only the first task of a sequence",
    .create = zoo::create_with_queue<BadQueue>,
};
