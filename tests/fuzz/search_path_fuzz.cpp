// SPDX-License-Identifier: Apache-2.0
// The environment variable that lists folders of plugins.
#include <cstdint>
#include <stdexcept>
#include <string>

#include "suite/registry/discovery.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    breakeven::discover({}, {}, std::string(data, data + size), "/nowhere");
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
