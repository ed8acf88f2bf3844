// SPDX-License-Identifier: Apache-2.0
// The option of a plugin that says how many threads a product has.
#pragma once

#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>

namespace breakeven::cpu {

// That number. Throws std::runtime_error for what is none from 1 to 4096; `others` is what else the
// option may be.
inline std::size_t number_of_threads(std::string_view text, std::string_view others = "") {
  std::size_t threads = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
  if (error != std::errc() || end != text.data() + text.size() || threads < 1 || threads > 4096)
    throw std::runtime_error("option threads is '" + std::string(text) +
                             "'; give a number from 1 to 4096" + std::string(others));
  return threads;
}

}  // namespace breakeven::cpu
