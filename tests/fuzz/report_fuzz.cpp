// SPDX-License-Identifier: Apache-2.0
// The CSV reader: any bytes are a report with notes, or a ReportError.
#include <cstdint>
#include <string>

#include "reports/reader/report.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace breakeven;
  try {
    const Report report = Report::parse(std::string(data, data + size), "fuzz.csv");
    for (std::size_t i = 0; i < report.size(); ++i) {
      const RowView row = report.row(i);
      row.status();
      for (const ColumnInfo& column : columns()) {
        row.text(column.column);
        row.real(column.column);
        row.samples(column.column);
        row.pairs(column.column);
      }
    }
  } catch (const ReportError&) {
  }
  return 0;
}
