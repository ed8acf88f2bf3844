// SPDX-License-Identifier: Apache-2.0
// speaks an API of the future
#include "tests/bad_plugins/sound.hpp"

extern "C" const breakeven::Manifest breakeven_plugin = {
    .api = breakeven::api_number + 1,
    .name = "wrong-api",
    .version = "0.1.0",
    .description = "speaks an API of the future",
    .create = breakeven::zoo::create<breakeven::zoo::SoundBackend<>>,
};
