// SPDX-License-Identifier: Apache-2.0
// is wrong from the 500th repeat on
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

 private:
  std::unique_ptr<Task> make_task(zoo::Work work) override {
    return SoundQueue::make_task([work = std::move(work), times = 0]() mutable {
      if (++times < 500) work();
    });
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "tires",
    .version = "0.1.0",
    .description = "is wrong from the 500th repeat on",
    .create = zoo::create_with_queue<BadQueue>,
};
