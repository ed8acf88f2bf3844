// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/search_row.hpp"

#include <string_view>

namespace breakeven {
namespace {

std::string_view name_in_schema_1(Column column) {
  switch (column) {
    case Column::search:
      return "duel";
    case Column::searched_mode:
      return "mode";
    case Column::line_up:
      return "visit";
    default:
      return info(column).name;
  }
}

}  // namespace

std::string probe_text(const RowView& row, Column column) {
  if (const std::string_view text = row.text(column); !text.empty() && text != unknown)
    return std::string(text);
  for (auto& [name, value] : row.pairs(Column::details))
    if (name == name_in_schema_1(column)) return std::move(value);
  return {};
}

std::string measured_mode(const RowView& row) {
  return is_probe(row) ? probe_text(row, Column::searched_mode)
                       : std::string(row.text(Column::mode));
}

std::string search_of(const RowView& row) {
  if (!is_probe(row)) return {};
  return std::string(row.text(Column::run_id)) + '\n' + probe_text(row, Column::search);
}

}  // namespace breakeven
