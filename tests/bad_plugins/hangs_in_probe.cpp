// SPDX-License-Identifier: Apache-2.0
// never answers probe
#include "tests/bad_plugins/sound.hpp"
namespace {

using namespace breakeven;

const char* probe() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

}  // namespace
extern "C" const breakeven::Manifest breakeven_plugin = {
    .name = "hangs-in-probe",
    .version = "0.1.0",
    .description = "never answers probe",
    .probe = probe,
    .create = breakeven::zoo::create<breakeven::zoo::SoundBackend<>>,
};
