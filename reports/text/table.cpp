// SPDX-License-Identifier: Apache-2.0
#include "reports/text/table.hpp"

#include <algorithm>

#include "reports/text/lines.hpp"

namespace breakeven {
namespace {

constexpr std::size_t gap = 2;

std::size_t total(const std::vector<std::size_t>& widths, const std::vector<bool>& used) {
  std::size_t taken = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    taken += used[i] ? widths[i] + (taken == 0 ? 0 : gap) : 0;
  }
  return taken;
}

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::string space(width - std::min(width, shown_width(text)), ' ');
  return align == Align::left ? text + space : space + text;
}

std::string for_markdown(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '*' || c == '`' || c == '_' || c == '\\' || c == '[') {
      result += '\\';
    }
    result += c;
  }
  return result;
}

}  // namespace

std::size_t shown_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = std::min(text.find('m', i), text.size());
    } else {
      width += (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    }
  }
  return width;
}

std::string_view fitting(std::string_view text, std::size_t columns) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80 && ++width > columns) {
      return text.substr(0, i);
    }
  }
  return text;
}

std::string coloured(const std::string& text, Colour colour, bool in_colour) {
  if (!in_colour || colour == Colour::none || text.empty()) {
    return text;
  }
  const char* code = colour == Colour::red      ? "31"
                     : colour == Colour::green  ? "32"
                     : colour == Colour::yellow ? "33"
                     : colour == Colour::bold   ? "1"
                                                : "2";
  return "\x1b[" + std::string(code) + "m" + text + "\x1b[0m";
}

std::vector<bool> Table::used_columns(std::optional<std::size_t> width) const {
  std::vector<bool> used(headings_.size(), false);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size() && !is_line(row); ++i) {
      used[i] = used[i] || !row[i].text.empty();
    }
  }
  const auto widths = this->widths();
  for (auto i = headings_.size(); width && i-- > 0 && total(widths, used) > *width;) {
    used[i] = used[i] && !headings_[i].is_extra;
  }
  return used;
}

std::size_t Table::width() const {
  return total(widths(), used_columns());
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (const auto& heading : headings_) {
    widths.push_back(shown_width(heading.text));
  }
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size() && !is_line(row); ++i) {
      widths[i] = std::max(widths[i], shown_width(row[i].text));
    }
  }
  return widths;
}

std::string Table::terminal(bool in_colour, std::optional<std::size_t> width) const {
  const auto used = used_columns(width);
  const auto widths = this->widths();
  std::vector<bool> begins_line(headings_.size(), false);
  std::size_t taken = 0;
  for (std::size_t i = 0; i < headings_.size(); ++i) {
    if (used[i]) {
      begins_line[i] = taken > 0 && width && taken + gap + widths[i] > *width;
      taken = (taken == 0 ? 0 : begins_line[i] ? gap : taken + gap) + widths[i];
    }
  }
  std::string text;
  const auto end_line = [&] { text = text.erase(text.find_last_not_of(' ') + 1) + '\n'; };
  const auto add_row = [&](const std::vector<Cell>& cells) {
    if (is_line(cells)) {
      text += coloured(cells.front().text, cells.front().colour, in_colour);
      return end_line();
    }
    bool is_first = true;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!used[i]) {
        continue;
      }
      if (begins_line[i]) {
        end_line();
      }
      text += is_first ? "" : std::string(gap, ' ');
      is_first = false;
      // One that a line of its own does not hold is broken as words are.
      const bool is_too_wide = begins_line[i] && gap + widths[i] > *width;
      const std::string cell = is_too_wide ? Lines(*width).wrapped(cells[i].text, gap)
                                           : padded(cells[i].text, widths[i], headings_[i].align);
      text += coloured(is_too_wide ? cell.substr(std::min(gap, cell.size())) : cell,
                       cells[i].colour, in_colour);
    }
    end_line();
  };
  std::vector<Cell> head;
  bool has_head = false;
  for (const auto& heading : headings_) {
    head.emplace_back(heading.text, Colour::dim);
    has_head = has_head || !heading.text.empty();
  }
  if (has_head) {
    add_row(head);
  }
  std::for_each(rows_.begin(), rows_.end(), add_row);
  return text;
}

std::string Table::markdown() const {
  const auto used = used_columns();
  std::string head = "|", rule = "|", text;
  for (std::size_t i = 0; i < headings_.size(); ++i) {
    if (used[i]) {
      head += " " + for_markdown(headings_[i].text) + " |";
      rule += headings_[i].align == Align::left ? "---|" : "---:|";
    }
  }
  for (const auto& row : rows_) {
    text += "|";
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (used[i]) {
        text += " " + for_markdown(row[i].text) + " |";
      }
    }
    text += "\n";
  }
  return head + "\n" + rule + "\n" + text;
}

}  // namespace breakeven
