// SPDX-License-Identifier: Apache-2.0
// claims more readings than fit
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadDevice final : public zoo::SoundDevice<> {
 public:
  using SoundDevice::SoundDevice;

  std::size_t readings(std::span<Reading>) const override { return 3; }
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "too-many-readings",
    .version = "0.1.0",
    .description = "claims more readings than fit",
    .create = zoo::create_with_device<BadDevice>,
};
