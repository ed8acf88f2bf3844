// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/terminal.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "reports/text/lines.hpp"

namespace breakeven {

bool is_terminal(std::FILE* stream) {
  return isatty(fileno(stream)) == 1;
}

bool shows_colour(std::FILE* stream) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return is_terminal(stream) && (!no_colour || !*no_colour) &&
         !(term && std::string_view(term) == "dumb");
}

std::size_t terminal_width(std::FILE* stream) {
  return terminal_columns(stream).value_or(100);
}

std::string styled(std::string_view text, Style style, bool colour) {
  if (!colour || style == Style::plain || text.empty()) return std::string(text);
  const char* code = style == Style::bold    ? "1"
                     : style == Style::dim   ? "2"
                     : style == Style::green ? "32"
                     : style == Style::red   ? "31"
                                             : "33";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == 0x1b) {
      i = text.find('m', i);
      if (i == std::string_view::npos) break;
    } else if ((byte & 0xc0) != 0x80) {
      ++width;
    }
  }
  return width;
}

std::size_t widest_line(std::string_view text) {
  std::size_t widest = 0;
  for (std::size_t end = text.find('\n'); !text.empty(); end = text.find('\n')) {
    widest = std::max(widest, display_width(text.substr(0, end)));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return widest;
}

std::string_view fitting(std::string_view text, std::size_t columns) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80 && ++width > columns)
      return text.substr(0, i);
  return text;
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_)
    if (row.size() == columns_.size())
      for (std::size_t i = 0; i < row.size(); ++i)
        widths[i] = std::max(widths[i], display_width(row[i]));

  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t width = row.size() == columns_.size() ? widths[i] : 0;
      const std::size_t own = display_width(row[i]);
      const std::string gap(width > own ? width - own : 0, ' ');
      if (i > 0) line += "  ";
      line += columns_[i] == Align::right ? gap + row[i] : row[i] + gap;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace breakeven
