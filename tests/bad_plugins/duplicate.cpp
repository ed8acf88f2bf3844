// SPDX-License-Identifier: Apache-2.0
// has the name of another
#include "tests/bad_plugins/sound.hpp"

extern "C" const breakeven::Manifest breakeven_plugin = {
    .name = "duplicate",
    .version = "0.1.0",
    .description = "has the name of another",
    .create = breakeven::zoo::create<breakeven::zoo::SoundBackend<>>,
};
