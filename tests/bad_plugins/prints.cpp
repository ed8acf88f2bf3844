// SPDX-License-Identifier: Apache-2.0
// prints on standard output
#include <cstdio>
#include "tests/bad_plugins/sound.hpp"
namespace {

using namespace breakeven;

const char* probe() {
  std::puts("welcome to the zoo");
  return nullptr;
}

}  // namespace
extern "C" const breakeven::Manifest breakeven_plugin = {
    .name = "prints",
    .version = "0.1.0",
    .description = "prints on standard output",
    .probe = probe,
    .create = breakeven::zoo::create<breakeven::zoo::SoundBackend<>>,
};
