// SPDX-License-Identifier: Apache-2.0
// keeps a thread when it is destroyed

#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadBackend final : public zoo::SoundBackend<> {
 public:
  BadBackend() {
    std::thread([] { std::this_thread::sleep_for(std::chrono::hours(1)); }).detach();
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "leaks-threads",
    .version = "0.1.0",
    .description = "keeps a thread when it is destroyed",
    .create = zoo::create<BadBackend>,
};
