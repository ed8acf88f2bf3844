// SPDX-License-Identifier: Apache-2.0
// is sound, but slows down: whenever it is looked at, its counters have grown
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class HotDevice final : public zoo::SoundDevice<> {
 public:
  using SoundDevice::SoundDevice;

  std::size_t readings(std::span<Reading> into) const override {
    if (into.size() < 2) return 0;
    grown_ns_ += 1e6;
    into[0] = {.key = "thermal_throttle_ns", .value = grown_ns_};
    into[1] = {.key = "power_throttle_ns", .value = grown_ns_};
    return 2;
  }

 private:
  mutable double grown_ns_ = 0;
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "runs-hot",
    .version = "0.1.0",
    .description = "is sound, but slows down: whenever it is looked at, its counters have grown",
    .create = zoo::create_with_device<HotDevice>,
};
