// SPDX-License-Identifier: Apache-2.0
// says nothing without control characters, and much
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;
using namespace std::string_view_literals;

// Clears the screen, goes back on the line, begins another, ends a C string.
constexpr std::string_view steering =
    "\x1b[2Jcage\r\nnot loaded: \0\x9b"
    "31mred"sv;

class BadDevice final : public zoo::SoundDevice<> {
 public:
  explicit BadDevice(std::size_t index)
      : SoundDevice(index), name_(index == 0 ? std::string(steering) : std::string(100'000, 'x')) {}

  DeviceInfo info() const override { return {.name = name_, .memory_bytes = 1 << 30}; }
  std::span<const Fact> facts() const override { return facts_; }

 private:
  std::string name_;
  std::array<Fact, 1> facts_{{{.key = steering, .value = steering}}};
};

class BadBackend final : public zoo::SoundBackend<BadDevice> {
 public:
  std::span<const Fact> facts() const override { return facts_; }
  std::string_view advice() const override { return steering; }

 private:
  std::array<Fact, 1> facts_{{{.key = steering, .value = steering}}};
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "steers-terminals",
    .version = steering,
    .description = steering,
    .create = zoo::create<BadBackend>,
};
