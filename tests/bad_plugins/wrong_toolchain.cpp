// SPDX-License-Identifier: Apache-2.0
// was built with another C++ library
#include "tests/bad_plugins/sound.hpp"

extern "C" const breakeven::Manifest breakeven_plugin = {
    .toolchain = "libsomething",
    .name = "wrong-toolchain",
    .version = "0.1.0",
    .description = "was built with another C++ library",
    .create = breakeven::zoo::create<breakeven::zoo::SoundBackend<>>,
};
