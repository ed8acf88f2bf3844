// SPDX-License-Identifier: Apache-2.0
// The rows that `breakeven find` writes: what they say in their details, because their mode is
// `find`.
#pragma once

#include <string>
#include <string_view>

#include "reports/reader/report.hpp"

namespace breakeven {

inline bool is_probe(const RowView& row) {
  return row.text(Column::mode) == "find";
}

// Empty where the row has no such detail.
std::string detail(const RowView& row, std::string_view key);

// The mode that was measured, for any row.
std::string measured_mode(const RowView& row);

// The same text for all rows of one search, resumed or not; empty for rows of ordinary runs.
std::string search_of(const RowView& row);

}  // namespace breakeven
