// SPDX-License-Identifier: Apache-2.0
// was built for API 1
#include "tests/bad_plugins/sound.hpp"

extern "C" const breakeven::Manifest breakeven_plugin = {
    .api = 1,
    .name = "old-api",
    .version = "0.1.0",
    .description = "was built for API 1",
    .create = breakeven::zoo::create<breakeven::zoo::SoundBackend<>>,
};
