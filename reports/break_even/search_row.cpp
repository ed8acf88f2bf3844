// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/search_row.hpp"

namespace breakeven {

std::string detail(const RowView& row, std::string_view key) {
  for (auto& [name, value] : row.pairs(Column::details)) {
    if (name == key) {
      return std::move(value);
    }
  }
  return {};
}

std::string measured_mode(const RowView& row) {
  return is_probe(row) ? detail(row, "mode") : std::string(row.text(Column::mode));
}

std::string search_of(const RowView& row) {
  if (!is_probe(row)) {
    return {};
  }
  std::string search(row.text(Column::run_id));
  search += '\n';
  search += detail(row, "duel");
  return search;
}

}  // namespace breakeven
