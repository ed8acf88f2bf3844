// SPDX-License-Identifier: Apache-2.0
#include "reports/schema/formula.hpp"

#include <array>

namespace breakeven {

std::string without_formula(std::string_view text) {
  constexpr std::string_view first = "=+-@%";
  constexpr std::array escaped{"%3D", "%2B", "%2D", "%40", "%25"};
  const auto found = text.empty() ? first.npos : first.find(text.front());
  return found == first.npos ? std::string(text) : escaped[found] + std::string(text.substr(1));
}

std::string with_formula(std::string_view text) {
  for (const char first : std::string_view("=+-@%")) {
    const auto escaped = without_formula({&first, 1});
    if (text.starts_with(escaped)) {
      return first + std::string(text.substr(escaped.size()));
    }
  }
  return std::string(text);
}

}  // namespace breakeven
