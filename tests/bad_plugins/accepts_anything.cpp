// SPDX-License-Identifier: Apache-2.0
// takes what it has never heard of
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

  std::unique_ptr<Task> prepare_any(const AnyOperation& operation) override {
    bool known = false;
    dispatch(operation, [&](const auto&) {
      known = true;
      return std::unique_ptr<Task>();
    });
    return known ? SoundQueue::prepare_any(operation) : make_task([] {});
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "accepts-anything",
    .version = "0.1.0",
    .description = "takes what it has never heard of",
    .create = zoo::create_with_queue<BadQueue>,
};
