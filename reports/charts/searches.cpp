// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/break_even/search_row.hpp"
#include "reports/charts/drawing.hpp"

namespace breakeven::drawing {
namespace {

constexpr std::size_t most_bands = 4;

// `blas:0 passes serial:0`
std::string passes(const StoredSweep& sweep) {
  const bool to_loses = sweep.finding.changes.back().below == Faster::to;
  return fmt::format("{} passes {}", to_loses ? sweep.names.from : sweep.names.to,
                     to_loses ? sweep.names.to : sweep.names.from);
}

void add_band(Chart& chart, std::size_t low, std::size_t high, std::string label,
              std::size_t colour) {
  chart.series.push_back(
      {std::move(label),
       colour,
       Line::band,
       {{static_cast<double>(low), 0, 0, 0, {}}, {static_cast<double>(high), 0, 0, 0, {}}}});
}

// A name that no other chart has: the same search may have been made twice.
std::string free_id(const std::string& text, const std::vector<Chart>& charts) {
  const auto wanted = file_name(text);
  auto id = wanted;
  const auto is_taken = [&](const Chart& chart) { return chart.id == id; };
  for (int i = 2; std::any_of(charts.begin(), charts.end(), is_taken); ++i) {
    id = fmt::format("{}-{}", wanted, i);
  }
  return id;
}

}  // namespace

void add_brackets(Chart& chart, const Sweep& sweep, const std::string& type,
                  const std::string& mode, Drawing& drawing) {
  std::vector<const StoredSweep*> found;
  for (const auto& stored : drawing.sweeps_of_case(sweep.case_name)) {
    if (stored.finding.kind == Finding::Kind::bracket && stored.mode == stored.to_mode &&
        (mode.empty() || stored.mode == mode) && stored.type == type &&
        stored.names.axis == info(*sweep.axis).name) {
      found.push_back(&stored);
    }
  }
  // The smallest first, as the headline tells it.
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::pair(b->is_search, a->finding.high()) < std::pair(a->is_search, b->finding.high());
  });
  std::set<std::string> told, modes;
  for (const StoredSweep* const stored : found) {
    modes.insert(stored->mode);
  }
  const bool several_modes = modes.size() > 1;
  for (const StoredSweep* const stored : found) {
    const auto [one, other] = std::minmax(stored->names.from, stored->names.to);
    if (told.size() == most_bands ||
        !told.insert(fmt::format("{}\n{}\n{}", stored->mode, one, other)).second) {
      continue;
    }
    add_band(
        chart, stored->finding.low(), stored->finding.high(),
        fmt::format("{}{}, {} to {}", passes(*stored), several_modes ? ", " + stored->mode : "",
                    stored->finding.low(), stored->finding.high()),
        100 + told.size() - 1);
  }
}

// Both sides of one search, and what it found.
void draw_search(const Sweep& sweep, Drawing& drawing) {
  const auto& all = drawing.sweeps_of_case(sweep.case_name);
  const auto found = std::find_if(all.begin(), all.end(), [&](const StoredSweep& stored) {
    return stored.is_search &&
           search_of(drawing.report.row(stored.from_rows[0][0])) == sweep.search;
  });
  if (!sweep.axis || found == all.end()) {
    return;
  }
  const auto sides =
      fmt::format("{}{}{} against {}", found->mode == found->to_mode ? found->mode : "",
                  found->mode == found->to_mode ? ", " : "", found->names.from, found->names.to);
  const auto measure = measure_of(sweep.curves);
  Chart chart{
      free_id(fmt::format("search-{}-{}-{}", sweep.case_name, found->type, sides), drawing.charts),
      titled("Search for the break-even point", sweep.case_name, found->type) +
          printable(", " + sides),
      measure.caption +
          " Both sides in turns, by `breakeven find`; shaded: where the faster side "
          "changes.",
      x_axis(sweep),
      measure.y,
      {},
      {},
      sweep.case_name};
  add_lines(chart, sweep.curves, drawing, measure.value);
  for (std::size_t i = 0; i < found->finding.changes.size(); ++i) {
    const auto& change = found->finding.changes[i];
    add_band(chart, change.low, change.high, fmt::format("{} to {}", change.low, change.high),
             100 + i);
  }
  if (!chart.series.empty()) {
    drawing.charts.push_back(std::move(chart));
  }
}

}  // namespace breakeven::drawing
