// SPDX-License-Identifier: Apache-2.0
// crashes while it is loaded
#include <csignal>
#include "tests/bad_plugins/sound.hpp"
namespace {

using namespace breakeven;

[[maybe_unused]] const int crashed = std::raise(SIGSEGV);

}  // namespace
extern "C" const breakeven::Manifest breakeven_plugin = {
    .name = "crashes-in-initialiser",
    .version = "0.1.0",
    .description = "crashes while it is loaded",
    .create = breakeven::zoo::create<breakeven::zoo::SoundBackend<>>,
};
