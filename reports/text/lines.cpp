// SPDX-License-Identifier: Apache-2.0
#include "reports/text/lines.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "reports/text/table.hpp"

namespace breakeven {
namespace {

// `12`, `±1.2`
bool is_number(std::string_view word) {
  return !word.empty() && word.back() >= '0' && word.back() <= '9' &&
         std::none_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'z'; });
}

}  // namespace

bool is_terminal(std::FILE* stream) {
  return isatty(fileno(stream)) == 1;
}

bool shows_colour(std::FILE* stream) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return is_terminal(stream) && (no_colour == nullptr || *no_colour == '\0') &&
         (term == nullptr || std::string_view(term) != "dumb");
}

std::optional<std::size_t> terminal_columns(std::FILE* stream) {
  winsize size{};
  if (!is_terminal(stream) || ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return std::nullopt;
  }
  return size.ws_col;
}

Lines::Lines(std::FILE* stream) : width_(SIZE_MAX) {
  constexpr std::size_t read_with_ease = 110;
  if (is_terminal(stream)) {
    width_ = std::min(terminal_columns(stream).value_or(read_with_ease), read_with_ease);
  }
}

std::string Lines::wrapped(const std::string& text, std::size_t indent) const {
  constexpr std::size_t longest_unit = 7;
  const std::string margin(indent, ' ');
  std::string result;
  const std::string_view all(text);
  const auto end_of_word = [&](std::size_t from) {
    return std::min(all.find(' ', from), all.size());
  };
  std::size_t used = 0;  // of the line at hand; 0: nothing is on it
  for (std::size_t begin = 0; begin < text.size();) {
    auto end = end_of_word(begin);
    const auto after = end_of_word(end + 1);
    if (end < after && after - end <= longest_unit + 1 &&
        is_number(all.substr(begin, end - begin)) &&
        !is_number(all.substr(end + 1, after - end - 1))) {
      end = after;
    }
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

std::string Lines::command(std::string text, std::size_t indent) const {
  std::string result;
  std::string margin(indent, ' ');
  while (margin.size() + shown_width(text) > width_) {
    const auto option = text.rfind(" -", width_ - std::min(width_, margin.size() + 2));
    if (option == text.npos) {
      break;
    }
    result += margin + text.substr(0, option) + " \\\n";
    text.erase(0, option + 1);
    margin.resize(indent + 4, ' ');
  }
  return result + margin + text;
}

void print_line(std::FILE* stream, const std::string& text) {
  std::fputs((Lines(stream).wrapped(text, 0) + '\n').c_str(), stream);
}

}  // namespace breakeven
