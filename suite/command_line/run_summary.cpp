// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/run_summary.hpp"

#include <utility>

#include <fmt/format.h>

#include "suite/command_line/variant_factors.hpp"

namespace breakeven {

namespace {

bool went_wrong(const TableRow& row) {
  switch (row.status) {
    case Status::wrong:
    case Status::failed:
    case Status::crashed:
    case Status::hung:
      return true;
    default:
      return false;
  }
}

}  // namespace

void RunSummary::keep(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    TableRow read(row);
    ++rows_;
    ok_ += read.status == Status::ok;
    wrong_ += went_wrong(read);
    if (rows_ == longest_table + 1) {
      std::erase_if(kept_, [](const TableRow& kept) { return !went_wrong(kept); });
      kept_.shrink_to_fit();
    }
    if (kept_.size() < longest_table && (rows_ <= longest_table || went_wrong(read)))
      kept_.push_back(std::move(read));
  }
}

std::string RunSummary::text(const std::string& report, bool colour) const {
  if (rows_ == 0) return "";
  std::string text = kept_.empty() ? "" : run_table(kept_, colour) + '\n';
  if (rows_ > longest_table)
    text += fmt::format(
        "{} rows are too many for a table here{}; `breakeven report {} -o page.html` shows them\n",
        rows_, kept_.empty() ? "" : ", so it has only what went wrong", report);
  return text + variant_factors(kept_) +
         fmt::format("{} of {} rows measured and verified; the report is {}\n", ok_, rows_, report);
}

}  // namespace breakeven
