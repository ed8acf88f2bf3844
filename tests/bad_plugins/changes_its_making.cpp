// SPDX-License-Identifier: Apache-2.0
// says something else of a task once it has run
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadTask final : public zoo::SoundTask {
 public:
  using SoundTask::SoundTask;
  void enqueue() override {
    ran_ = true;
    SoundTask::enqueue();
  }
  TaskInfo info() const override { return {.author = Author::plugin, .threads = ran_ ? 2u : 1u}; }

 private:
  bool ran_ = false;
};

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

 private:
  std::unique_ptr<Task> make_task(zoo::Work work) override {
    return std::make_unique<BadTask>(lane_, std::move(work));
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "changes-its-making",
    .version = "0.1.0",
    .description = "says something else of a task once it has run",
    .create = zoo::create_with_queue<BadQueue>,
};
