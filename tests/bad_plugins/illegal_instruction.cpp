// SPDX-License-Identifier: Apache-2.0
// needs a processor that does not exist
#include <csignal>

#include "tests/bad_plugins/sound.hpp"
namespace {

using namespace breakeven;

const char* probe() {
  __builtin_trap();
}

}  // namespace
extern "C" const breakeven::Manifest breakeven_plugin = {
    .name = "illegal-instruction",
    .version = "0.1.0",
    .description = "needs a processor that does not exist",
    .probe = probe,
    .create = breakeven::zoo::create<breakeven::zoo::SoundBackend<>>,
};
