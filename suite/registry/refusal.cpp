// SPDX-License-Identifier: Apache-2.0
#include "suite/registry/refusal.hpp"

#include "reports/schema/schema.hpp"

namespace breakeven {

Refusal::Refusal(std::string_view reason, std::string_view fix)
    : std::runtime_error(one_line(reason)), fix_(one_line(fix)) {}

std::string one_line(std::string_view text, std::size_t longest) {
  std::string line;
  for (const char c : printable(text)) {
    if (c != ' ') {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == '.')) line.pop_back();
  if (line.size() <= longest) return line;
  while (longest > 0 && (static_cast<unsigned char>(line[longest]) & 0xC0) == 0x80) --longest;
  return line.substr(0, longest) + "…";
}

}  // namespace breakeven
