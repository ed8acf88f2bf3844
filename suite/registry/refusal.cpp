// SPDX-License-Identifier: Apache-2.0
#include "suite/registry/refusal.hpp"

namespace breakeven {

Refusal::Refusal(std::string_view reason, std::string_view fix)
    : std::runtime_error(one_line(reason)), fix_(one_line(fix)) {}

std::string one_line(std::string_view text, std::size_t longest) {
  std::string line;
  for (const char c : text) {
    const bool blank = static_cast<unsigned char>(c) <= ' ' || c == '\x7f';
    if (!blank) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == '.')) line.pop_back();
  if (line.size() > longest) line = line.substr(0, longest) + "…";
  return line;
}

}  // namespace breakeven
