// SPDX-License-Identifier: Apache-2.0
#include "reports/text/shell_word.hpp"

#include <algorithm>

namespace breakeven {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./:,=+@%").find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_word(std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) {
    return std::string(text);
  }
  std::string word = "'";
  for (const char c : text) {
    word += c == '\'' ? "'\\''" : std::string(1, c);  // closes, a quoted quote, opens again
  }
  return word + "'";
}

}  // namespace breakeven
