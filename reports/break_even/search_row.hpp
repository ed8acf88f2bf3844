// SPDX-License-Identifier: Apache-2.0
// The rows that `breakeven find` writes, its probes: their mode is `find`, and columns of their own
// say what was searched. Reports of schema 1 have that in their details.
#pragma once

#include <string>

#include "reports/reader/report.hpp"

namespace breakeven {

inline bool is_probe(const RowView& row) {
  return row.text(Column::mode) == "find";
}

// Of `search`, `side`, `searched_mode`, `faster` and `line_up`, which tells the visits to a size
// apart. Empty where the row does not say.
std::string probe_text(const RowView& row, Column column);

// The mode that was measured, for any row.
std::string measured_mode(const RowView& row);

// The same text for all rows of one search, resumed or not; empty for rows of ordinary runs.
std::string search_of(const RowView& row);

}  // namespace breakeven
