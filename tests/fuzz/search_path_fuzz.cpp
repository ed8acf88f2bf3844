// SPDX-License-Identifier: Apache-2.0
// The environment variable that lists folders of plugins.
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "suite/registry/discovery.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    for (const auto& folder : breakeven::search_path_folders(std::string(data, data + size)))
      if (!folder.is_absolute()) std::abort();
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
