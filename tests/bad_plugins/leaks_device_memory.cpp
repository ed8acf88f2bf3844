// SPDX-License-Identifier: Apache-2.0
// does not free the device memory of its buffers
#include <atomic>

#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

// Device memory is only counted: nothing else is left behind.
class BadDevice final : public zoo::SoundDevice<> {
 public:
  using SoundDevice::SoundDevice;

  DeviceInfo info() const override {
    constexpr std::size_t bytes = std::size_t{1} << 40;
    return {.name = SoundDevice::info().name,
            .kind = Kind::accelerator,
            .memory_bytes = bytes,
            .free_bytes = bytes - taken_};
  }
  std::unique_ptr<Buffer> allocate(std::size_t bytes, Memory memory, std::size_t granule) override {
    if (memory == Memory::device) taken_ += std::size_t{1} << 20;
    return SoundDevice::allocate(bytes, memory, granule);
  }

 private:
  std::atomic<std::size_t> taken_{0};
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "leaks-device-memory",
    .version = "0.1.0",
    .description = "does not free the device memory of its buffers",
    .create = zoo::create_with_device<BadDevice>,
};
