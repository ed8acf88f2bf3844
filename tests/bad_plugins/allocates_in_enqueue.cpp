// SPDX-License-Identifier: Apache-2.0
// allocates in enqueue
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

  std::unique_ptr<Task> prepare_any(const AnyOperation& operation) override {
    auto task = SoundQueue::prepare_any(operation);
    return task ? std::make_unique<Hoarder>(std::move(task)) : nullptr;
  }
  std::unique_ptr<Task> sequence(std::span<Task* const>) override { return nullptr; }

 private:
  class Hoarder final : public Task {
   public:
    explicit Hoarder(std::unique_ptr<Task> task) : task_(std::move(task)) {}
    void enqueue() override {
      note_ = std::make_unique<std::string>(1 << 16, 0);
      task_->enqueue();
    }

   private:
    std::unique_ptr<Task> task_;
    std::unique_ptr<std::string> note_;
  };
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "allocates-in-enqueue",
    .version = "0.1.0",
    .description = "allocates in enqueue",
    .create = zoo::create_with_queue<BadQueue>,
};
