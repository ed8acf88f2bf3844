// SPDX-License-Identifier: Apache-2.0
// gives memory at odd addresses
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadDevice final : public zoo::SoundDevice<> {
 public:
  using SoundDevice::SoundDevice;

  std::unique_ptr<Buffer> allocate(std::size_t bytes, Memory memory, std::size_t) override {
    if (memory == Memory::pinned) return nullptr;
    return std::make_unique<OddBuffer>(std::make_unique<char[]>(bytes + 72), bytes, memory, *this);
  }

 private:
  class OddBuffer final : public Buffer {
   public:
    OddBuffer(std::unique_ptr<char[]> memory, std::size_t bytes, Memory kind, Device& device)
        : Buffer(memory.get() + 8, bytes, kind, device), memory_(std::move(memory)) {}

   private:
    std::unique_ptr<char[]> memory_;
  };
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "misaligned-memory",
    .version = "0.1.0",
    .description = "gives memory at odd addresses",
    .create = zoo::create_with_device<BadDevice>,
};
