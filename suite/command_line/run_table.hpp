// SPDX-License-Identifier: Apache-2.0
// The table of a run that a person reads, and the lines under it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reports/schema/schema.hpp"

namespace breakeven {

// What the table needs of a row: a run may have many thousands.
struct TableRow {
  explicit TableRow(const Row& row);

  std::string name, device;
  std::string heading, sizes;  // `matmul  f32  resident` and `n:64`
  Status status;
  std::string reason, notes, stop_reason, disturbances;
  std::string rate_unit;  // of the work in a second: `flop`, `byte`; empty: no work
  double work = 0;
  std::optional<double> ceiling_share;
  std::string ceiling_source;
  std::int64_t disturbed_visits = 0;
  std::vector<double> visit_medians;  // nanoseconds

  // The budget of the run was spent before its turn.
  bool was_not_reached() const { return status == Status::over_budget && stop_reason == "budget"; }
};

// One line per case, rounds merged: what it was, where, the median with its interval, the rate, the
// share of the ceiling, and whether it was verified or why there is no time; what the mode adds.
// Below it, what could not be measured or was not reached. Where that is wider than `width`, names,
// notes and reasons have lines of their own.
std::string run_table(std::span<const TableRow> rows, bool colour, std::size_t width = SIZE_MAX);

// What disturbed the run, and what its intervals cannot claim: a line each.
std::string run_cautions(std::span<const TableRow> rows, bool colour, std::size_t width = SIZE_MAX);

// `2.05 µs ±0.4 %  255 GFLOP/s …`: the same for one row, without its name.
std::string row_line(const Row& row);

}  // namespace breakeven
