// SPDX-License-Identifier: Apache-2.0
// has ten thousand devices
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadBackend final : public Backend {
 public:
  BadBackend() {
    for (std::size_t i = 0; i < 10'000; ++i)
      pointers_.push_back(devices_.emplace_back(std::make_unique<zoo::SoundDevice<>>(i)).get());
  }
  std::span<Device* const> devices() override { return pointers_; }
  std::span<const Fact> facts() const override { return {}; }
  std::string_view advice() const override { return {}; }

 private:
  std::vector<std::unique_ptr<zoo::SoundDevice<>>> devices_;
  std::vector<Device*> pointers_;
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "too-many-devices",
    .version = "0.1.0",
    .description = "has ten thousand devices",
    .create = zoo::create<BadBackend>,
};
