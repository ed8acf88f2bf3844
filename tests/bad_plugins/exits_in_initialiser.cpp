// SPDX-License-Identifier: Apache-2.0
// ends the process while it is loaded
#include <unistd.h>
#include "tests/bad_plugins/sound.hpp"
namespace {

using namespace breakeven;

[[maybe_unused]] const int left = (_exit(0), 0);

}  // namespace
extern "C" const breakeven::Manifest breakeven_plugin = {
    .name = "exits-in-initialiser",
    .version = "0.1.0",
    .description = "ends the process while it is loaded",
    .create = breakeven::zoo::create<breakeven::zoo::SoundBackend<>>,
};
