// SPDX-License-Identifier: Apache-2.0
// does everything right
#include "tests/bad_plugins/sound.hpp"

extern "C" const breakeven::Manifest breakeven_plugin = {
    .name = "sound",
    .version = "0.1.0",
    .description = "does everything right",
    .create = breakeven::zoo::create<breakeven::zoo::SoundBackend<>>,
};
