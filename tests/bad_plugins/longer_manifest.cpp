// SPDX-License-Identifier: Apache-2.0
// has more in its manifest than this program knows: nothing is wrong with that
#include "tests/bad_plugins/sound.hpp"

extern "C" const breakeven::Manifest breakeven_plugin = {
    .bytes = sizeof(breakeven::Manifest) + 64,
    .name = "longer-manifest",
    .version = "0.1.0",
    .description = "has more in its manifest than this program knows",
    .create = breakeven::zoo::create<breakeven::zoo::SoundBackend<>>,
};
