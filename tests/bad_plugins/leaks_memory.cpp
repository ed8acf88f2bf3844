// SPDX-License-Identifier: Apache-2.0
// keeps its memory when it is destroyed

#include "tests/bad_plugins/sound.hpp"

namespace {

using namespace breakeven;

class BadBackend final : public zoo::SoundBackend<> {
 public:
  BadBackend() { kept_ = new std::array<char, 1 << 20>; }

 private:
  const std::array<char, 1 << 20>* kept_;
};

}  // namespace

extern "C" const Manifest breakeven_plugin = {
    .name = "leaks-memory",
    .version = "0.1.0",
    .description = "keeps its memory when it is destroyed",
    .create = zoo::create<BadBackend>,
};
