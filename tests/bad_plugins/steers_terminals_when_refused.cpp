// SPDX-License-Identifier: Apache-2.0
// cannot be created, and says so with control characters
#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

std::unique_ptr<Backend> create(std::span<const Variable>) {
  throw std::runtime_error(
      "\x1b[2Jthe gate\r\nis \x9b"
      "31mlocked\x07");
}

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "steers-terminals-when-refused",
    .version = "0.1.0",
    .description = "cannot be created, and says so with control characters",
    .create = create,
};
