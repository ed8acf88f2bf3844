// SPDX-License-Identifier: Apache-2.0
// What a run tells at its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reports/schema/schema.hpp"
#include "suite/command_line/run_table.hpp"

namespace breakeven {

class RunSummary {
 public:
  // Past this many rows there is no table, and only those that went wrong are kept: memory does not
  // grow with the run.
  static constexpr std::size_t longest_table = 5000;

  void keep(const std::vector<Row>& rows);

  bool empty() const noexcept { return rows_ == 0; }

  // The table and what variants take; then what the report (a file, or a name for what is none)
  // says first, what disturbed it, how much was measured, and what to type next. Empty: there is no
  // row.
  std::string text(const std::string& report, bool colour, std::size_t width = SIZE_MAX) const;

  // 1: something was wrong, or failed; 3: there are rows, and none of them has a time.
  int exit_status() const noexcept { return wrong_ > 0 ? 1 : rows_ > 0 && ok_ == 0 ? 3 : 0; }

 private:
  std::size_t rows_ = 0, ok_ = 0, wrong_ = 0, not_reached_ = 0;
  std::vector<TableRow> kept_;
  std::string command_;
};

}  // namespace breakeven
