// SPDX-License-Identifier: Apache-2.0
// gives null where memory is used up
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadDevice final : public zoo::SoundDevice<> {
 public:
  using SoundDevice::SoundDevice;

  std::unique_ptr<Buffer> allocate(std::size_t bytes, Memory memory, std::size_t granule) override {
    if (bytes > (std::size_t{1} << 40)) return nullptr;
    return SoundDevice::allocate(bytes, memory, granule);
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "null-for-too-much",
    .version = "0.1.0",
    .description = "gives null where memory is used up",
    .create = zoo::create_with_device<BadDevice>,
};
