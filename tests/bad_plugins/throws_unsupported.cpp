// SPDX-License-Identifier: Apache-2.0
// throws where it should give null
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

  std::unique_ptr<Task> prepare_any(const AnyOperation& operation) override {
    if (operation.as<Norm>()) throw std::runtime_error("no norms here");
    return SoundQueue::prepare_any(operation);
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "throws-unsupported",
    .version = "0.1.0",
    .description = "throws where it should give null",
    .create = zoo::create_with_queue<BadQueue>,
};
