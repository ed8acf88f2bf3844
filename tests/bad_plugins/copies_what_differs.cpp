// SPDX-License-Identifier: Apache-2.0
// copies nothing where a few bytes agree already
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadQueue final : public zoo::SoundQueue {
 public:
  using SoundQueue::SoundQueue;

 private:
  std::unique_ptr<Task> prepare_copy(const Copy& copy) override {
    return make_task([to = start(copy.to), from = start(copy.from), bytes = copy.to.bytes] {
      bool agree = bytes >= 64;
      for (std::size_t i = 0; agree && i < 8; ++i) {
        const std::size_t at = i * bytes / 8 | 3;  // of a number of f32: sign and exponent
        agree = to[at] == from[at];
      }
      if (!agree) std::memmove(to, from, bytes);
    });
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "copies-what-differs",
    .version = "0.1.0",
    .description = "copies nothing where a few bytes agree already",
    .create = zoo::create_with_queue<BadQueue>,
};
