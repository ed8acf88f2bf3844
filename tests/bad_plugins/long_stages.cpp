// SPDX-License-Identifier: Apache-2.0
// has stages that are longer than all of create
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadBackend final : public zoo::SoundBackend<> {
 public:
  std::span<const Stage> stages() const override { return stages_; }

 private:
  std::array<Stage, 1> stages_{{{.name = "runtime", .seconds = 3600}}};
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "long-stages",
    .version = "0.1.0",
    .description = "has stages that are longer than all of create",
    .create = zoo::create<BadBackend>,
};
