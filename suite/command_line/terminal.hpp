// SPDX-License-Identifier: Apache-2.0
// What a stream can show, and columns that line up there.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace breakeven {

// A terminal, and the user did not set NO_COLOR.
bool shows_colour(std::FILE* stream);
bool is_terminal(std::FILE* stream);
std::size_t terminal_width(std::FILE* stream);  // columns; 100 where it is no terminal

enum class Style { plain, bold, dim, green, red, yellow };
std::string styled(std::string_view text, Style style, bool colour);

// Columns of UTF-8 text as a terminal counts them (escape sequences count nothing).
std::size_t display_width(std::string_view text);
std::size_t widest_line(std::string_view text);
// The front of `text`, without escape sequences, that fits into so many columns.
std::string_view fitting(std::string_view text, std::size_t columns);

class TextTable {
 public:
  enum class Align { left, right };
  explicit TextTable(std::vector<Align> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // A line across all columns.
  void add_heading(std::string text) { rows_.push_back({std::move(text)}); }
  std::string text() const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace breakeven
