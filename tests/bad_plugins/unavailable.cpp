// SPDX-License-Identifier: Apache-2.0
// is sound, but not usable on this machine
#include "tests/bad_plugins/sound.hpp"
namespace {

using namespace breakeven;

const char* probe() {
  return "no zoo nearby";
}

}  // namespace
extern "C" const breakeven::Manifest breakeven_plugin = {
    .name = "unavailable",
    .version = "0.1.0",
    .description = "is sound, but not usable on this machine",
    .probe = probe,
    .create = breakeven::zoo::create<breakeven::zoo::SoundBackend<>>,
};
