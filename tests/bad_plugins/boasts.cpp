// SPDX-License-Identifier: Apache-2.0
// says a peak that is no number
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadDevice final : public zoo::SoundDevice<> {
 public:
  using SoundDevice::SoundDevice;
  std::span<const Fact> facts() const override { return facts_; }

 private:
  std::array<Fact, 1> facts_{{{.key = "peak_f32_flop_per_s", .value = "lots"}}};
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "boasts",
    .version = "0.1.0",
    .description = "says a peak that is no number",
    .create = zoo::create_with_device<BadDevice>,
};
