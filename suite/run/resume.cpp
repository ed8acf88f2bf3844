// SPDX-License-Identifier: Apache-2.0
#include "suite/run/resume.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/reader/report.hpp"
#include "suite/measure/stop_rule.hpp"
#include "suite/run/text.hpp"

namespace breakeven {

namespace {

// Without the end of the report where the run's budget was spent; backends that are not there, or
// were set aside, have other reasons among it.
std::size_t count_complete(const Report& report) {
  std::size_t complete = report.size();
  for (std::size_t i = report.size(); i-- > 0;) {
    const RowView row = report.row(i);
    if (row.status() == Status::over_budget &&
        row.text(Column::stop_reason) == name_of(StopReason::budget))
      complete = i;
    else if (row.status() != Status::unavailable && row.status() != Status::out_of_memory &&
             row.status() != Status::abandoned)
      break;
  }
  return complete;
}

}  // namespace

EarlierPart read_earlier_part(const std::string& path, const Row& now, bool anyway) {
  const Report report = [&] {
    try {
      return Report::read(path);
    } catch (const ReportError& error) {
      throw Unusable(fmt::format("--resume: {}", error.what()));
    }
  }();
  EarlierPart earlier;
  if (report.size() == 0) return earlier;

  static constexpr std::array must_agree = {Column::machine, Column::cpu_model,
                                            Column::suite_commit, Column::run_options};
  const RowView last = report.row(report.size() - 1);
  std::vector<std::string> differences;
  for (const Column column : must_agree)
    if (last.text(column) != now.text(column))
      differences.push_back(fmt::format("{} was '{}' and is '{}'", info(column).name,
                                        last.text(column), now.text(column)));
  if (!differences.empty() && !anyway)
    throw Unusable(fmt::format("--resume {}: {}; --resume-anyway continues all the same", path,
                               fmt::join(differences, "; ")));

  earlier.run_id = last.text(Column::run_id);
  earlier.seed = static_cast<std::uint64_t>(last.integer(Column::seed).value_or(0));
  const std::size_t complete = count_complete(report);
  if (complete < report.size()) earlier.unmeasured_from_line = report.row(complete).line();
  for (std::size_t i = 0; i < complete; ++i) {
    const RowView row = report.row(i);
    earlier.complete.emplace_back(row.text(Column::name),
                                  static_cast<unsigned>(row.integer(Column::round).value_or(0)));
    earlier.resumed =
        std::max(earlier.resumed, static_cast<int>(row.integer(Column::resumed).value_or(0)));
  }
  return earlier;
}

}  // namespace breakeven
