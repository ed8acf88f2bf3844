// SPDX-License-Identifier: Apache-2.0
// keeps the memory of its tasks
#include <atomic>

#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

  std::unique_ptr<Task> prepare_any(const AnyOperation& operation) override {
    auto task = SoundQueue::prepare_any(operation);
    if (task) last_ = new std::array<char, 4096>;
    return task;
  }

 private:
  static inline std::atomic<void*> last_;
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "leaks-tasks",
    .version = "0.1.0",
    .description = "keeps the memory of its tasks",
    .create = zoo::create_with_queue<BadQueue>,
};
