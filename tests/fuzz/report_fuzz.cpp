// SPDX-License-Identifier: Apache-2.0
// The CSV reader: any bytes are a report with notes, or a ReportError. What is read keeps the rules
// of rows, and every text that it holds comes back from a cell.
#include <cstdint>
#include <string>

#include "reports/reader/report.hpp"
#include "reports/reader/row_rules.hpp"
#include "reports/schema/formula.hpp"

namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

void require_believable(const breakeven::RowView& row) {
  using namespace breakeven;
  require(row.text(Column::name) == name_of_key([&](Column column) { return row.text(column); }));
  if (row.status() != Status::ok) return;
  const double median = row.real(Column::median_ns).value();
  require(median > 0);
  if (const auto interval = row.visits_interval())
    require(interval->low_ns > 0 && interval->low_ns <= median * (1 + 1e-5) &&
            median <= interval->high_ns * (1 + 1e-5));
  require(row.samples(Column::samples_ns).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace breakeven;
  try {
    const Report report = Report::parse(std::string(data, data + size), "fuzz.csv");
    for (std::size_t i = 0; i < report.size(); ++i) {
      const RowView row = report.row(i);
      require_believable(row);
      for (const ColumnInfo& column : columns()) {
        const auto text = row.text(column.column);
        require(with_formula(without_formula(text)) == text);
        row.real(column.column);
        row.samples(column.column);
        row.pairs(column.column);
      }
    }
  } catch (const ReportError&) {
  }
  return 0;
}
