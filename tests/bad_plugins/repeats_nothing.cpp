// SPDX-License-Identifier: Apache-2.0
// does a task that a sequence repeats only once
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

  std::unique_ptr<Task> sequence(std::span<Task* const> tasks) override {
    std::vector<Task*> each;
    for (Task* const task : tasks)
      if (std::ranges::find(each, task) == each.end()) each.push_back(task);
    return SoundQueue::sequence(each);
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "repeats-nothing",
    .version = "0.1.0",
    .description = "does a task that a sequence repeats only once",
    .create = zoo::create_with_queue<BadQueue>,
};
