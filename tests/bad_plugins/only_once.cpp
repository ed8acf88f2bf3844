// SPDX-License-Identifier: Apache-2.0
// cannot be created beside another
#include <atomic>

#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadBackend final : public zoo::SoundBackend<> {
 public:
  BadBackend() {
    if (alive_.exchange(true)) throw std::runtime_error("there is one already");
  }
  ~BadBackend() override { alive_ = false; }

 private:
  static inline std::atomic<bool> alive_ = false;
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "only-once",
    .version = "0.1.0",
    .description = "cannot be created beside another",
    .create = zoo::create<BadBackend>,
};
