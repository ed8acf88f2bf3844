// SPDX-License-Identifier: Apache-2.0
// exports more than its manifest
#include "tests/bad_plugins/sound.hpp"

extern "C" [[gnu::visibility("default")]] int zoo_entrance() {
  return 1;
}

extern "C" const breakeven::Manifest breakeven_plugin = {
    .name = "exports-more",
    .version = "0.1.0",
    .description = "exports more than its manifest",
    .create = breakeven::zoo::create<breakeven::zoo::SoundBackend<>>,
};
