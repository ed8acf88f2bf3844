// SPDX-License-Identifier: Apache-2.0
// keeps a file open when it is destroyed
#include <fcntl.h>

#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadBackend final : public zoo::SoundBackend<> {
 public:
  BadBackend() : file_(open("/dev/null", O_RDONLY)) {}

 private:
  [[maybe_unused]] int file_;
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "leaks-descriptors",
    .version = "0.1.0",
    .description = "keeps a file open when it is destroyed",
    .create = zoo::create<BadBackend>,
};
