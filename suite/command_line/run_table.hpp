// SPDX-License-Identifier: Apache-2.0
// The table of a run that a person reads, and the lines under it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/schema/schema.hpp"

namespace breakeven {

struct TableRow {
  Row row;
  std::vector<double> visit_medians;  // nanoseconds
};

// One line per case, rounds merged: what it was, where, the median with its interval, the rate, the
// share of the ceiling, and whether it was verified or why there is no time.
// Below it, what could not be measured, what disturbed the run, and what the intervals cannot
// claim.
std::string run_table(std::span<const TableRow> rows, bool colour);

// `serial:0  2.05 µs ±0.4 %  255 GFLOP/s …`: the same for one row, without its name.
std::string row_line(const Row& row);

}  // namespace breakeven
