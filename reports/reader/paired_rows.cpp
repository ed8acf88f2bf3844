// SPDX-License-Identifier: Apache-2.0
#include "reports/reader/paired_rows.hpp"

#include <charconv>

#include "reports/statistics/order_statistics.hpp"

namespace breakeven {
namespace {

// Whole numbers, ascending, a space between those of one process, a bar between processes. False
// where it is anything else.
bool parse_sweeps(std::string_view text, RowVisits& visits) {
  std::size_t process = 0;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    std::size_t sweep = 0;
    const auto [next, error] = std::from_chars(at, end, sweep);
    if (error != std::errc() || (next != end && *next != ' ' && *next != '|')) return false;
    if (!visits.sweeps.empty() && sweep <= visits.sweeps.back()) return false;
    visits.sweeps.push_back(sweep);
    visits.processes.push_back(process);
    if (next != end && *next == '|') ++process;
    at = next == end ? end : next + 1;
  }
  return true;
}

std::vector<RowVisits> all_visits(const std::vector<RowView>& rows) {
  std::vector<RowVisits> all;
  for (const RowView& row : rows)
    if (auto visits = visits_of(row)) all.push_back(std::move(*visits));
  return all;
}

}  // namespace

std::optional<RowVisits> visits_of(const RowView& row) {
  if (row.status() != Status::ok || !row.is_known(Column::line_up) || !row.is_known(Column::sweeps))
    return std::nullopt;
  RowVisits visits;
  if (!parse_sweeps(row.text(Column::sweeps), visits)) return std::nullopt;
  const auto samples = row.samples(Column::samples_ns);
  if (!samples || samples->size() != visits.sweeps.size()) return std::nullopt;
  visits.line_up =
      std::string(row.text(Column::run_id)) + '/' + std::string(row.text(Column::line_up));
  for (const auto& visit : *samples) {
    if (visit.empty()) return std::nullopt;
    visits.medians.push_back(median(visit));
  }
  return visits;
}

std::vector<PairedRatios> paired_ratios(const std::vector<RowVisits>& base,
                                        const std::vector<RowVisits>& other) {
  std::vector<PairedRatios> rounds;
  for (const RowVisits& one : base)
    for (const RowVisits& two : other) {
      if (one.line_up != two.line_up) continue;
      auto ratios = paired_ratios(SweptVisits{one.medians, one.sweeps, one.processes},
                                  SweptVisits{two.medians, two.sweeps, two.processes});
      if (!ratios.empty()) rounds.push_back(std::move(ratios));
    }
  return rounds;
}

std::vector<PairedRatios> paired_ratios(const std::vector<RowView>& base,
                                        const std::vector<RowView>& other) {
  return paired_ratios(all_visits(base), all_visits(other));
}

}  // namespace breakeven
