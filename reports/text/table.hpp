// SPDX-License-Identifier: Apache-2.0
// Rows and columns of text, for a terminal or as Markdown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace breakeven {

enum class Align : std::uint8_t { left, right };
enum class Colour : std::uint8_t { none, red, green, yellow, dim, bold };

struct Cell {
  Cell(std::string cell_text, Colour cell_colour = Colour::none)
      : text(std::move(cell_text)), colour(cell_colour) {}
  Cell(const char* cell_text) : text(cell_text) {}

  std::string text;
  Colour colour = Colour::none;
};

class Table {
 public:
  struct Heading {
    std::string text;
    Align align = Align::left;
    bool is_extra = false;  // left out where the terminal is too narrow for all
  };
  explicit Table(std::vector<Heading> headings) : headings_(std::move(headings)) {}

  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  void add_line(Cell cell) { rows_.push_back({std::move(cell)}); }  // across all columns
  bool empty() const { return rows_.empty(); }
  std::size_t width() const;  // on a terminal that has room for it

  // Without a line of headings where none has a text. Columns that are empty in every row are left
  // out, and those that are extra, from the last one
  // on, as far as `width` asks for it. What still does not fit goes on further lines of its row, at
  // the same places in all rows.
  std::string terminal(bool in_colour, std::optional<std::size_t> width = {}) const;
  std::string markdown() const;

 private:
  bool is_line(const std::vector<Cell>& row) const { return row.size() < headings_.size(); }
  std::vector<bool> used_columns(std::optional<std::size_t> width = {}) const;
  std::vector<std::size_t> widths() const;

  std::vector<Heading> headings_;
  std::vector<std::vector<Cell>> rows_;
};

// Columns of a terminal that UTF-8 text takes, without wide characters; those of colours take none.
std::size_t shown_width(std::string_view text);
// The front of `text`, without colours, that fits into so many columns.
std::string_view fitting(std::string_view text, std::size_t columns);

std::string coloured(const std::string& text, Colour colour, bool in_colour);

}  // namespace breakeven
