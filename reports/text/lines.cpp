// SPDX-License-Identifier: Apache-2.0
#include "reports/text/lines.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "reports/text/table.hpp"

namespace breakeven {

std::optional<std::size_t> terminal_columns(std::FILE* stream) {
  winsize size{};
  if (isatty(fileno(stream)) == 0 || ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 ||
      size.ws_col == 0) {
    return std::nullopt;
  }
  return size.ws_col;
}

Lines::Lines(std::FILE* stream) : width_(SIZE_MAX) {
  constexpr std::size_t read_with_ease = 110;
  if (isatty(fileno(stream)) != 0) {
    width_ = std::min(terminal_columns(stream).value_or(read_with_ease), read_with_ease);
  }
}

std::string Lines::wrapped(const std::string& text, std::size_t indent) const {
  const std::string margin(indent, ' ');
  std::string result;
  std::size_t used = 0;  // of the line at hand; 0: nothing is on it
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find(' ', begin), text.size());
    const auto word = text.substr(begin, end - begin);
    const auto width = shown_width(word);
    if (used > 0 && used + 1 + width <= width_) {
      result += " " + word;
      used += 1 + width;
    } else {
      result += (result.empty() ? "" : "\n") + margin + word;
      used = indent + width;
    }
    begin = end + 1;
  }
  return result;
}

}  // namespace breakeven
