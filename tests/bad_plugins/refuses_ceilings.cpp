// SPDX-License-Identifier: Apache-2.0
// says that 8 GiB are free, and gives no piece as large as a ceiling needs
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadDevice final : public zoo::SoundDevice<> {
 public:
  using SoundDevice::SoundDevice;

  DeviceInfo info() const override {
    constexpr std::size_t bytes = std::size_t{8} << 30;
    return {.name = SoundDevice::info().name,
            .kind = Kind::accelerator,
            .memory_bytes = bytes,
            .free_bytes = bytes};
  }
  std::unique_ptr<Buffer> allocate(std::size_t bytes, Memory memory, std::size_t granule) override {
    if (bytes >= std::size_t{1} << 28) throw std::bad_alloc();
    return SoundDevice::allocate(bytes, memory, granule);
  }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "refuses-ceilings",
    .version = "0.1.0",
    .description = "says that 8 GiB are free, and gives no piece as large as a ceiling needs",
    .create = zoo::create_with_device<BadDevice>,
};
