// SPDX-License-Identifier: Apache-2.0
// has less in its manifest than the first plugins of the API
#include "tests/bad_plugins/sound.hpp"

extern "C" const breakeven::Manifest breakeven_plugin = {
    .bytes = 64,
    .name = "short-manifest",
    .version = "0.1.0",
    .description = "has less in its manifest than the first plugins of the API",
    .create = breakeven::zoo::create<breakeven::zoo::SoundBackend<>>,
};
