// SPDX-License-Identifier: Apache-2.0
// The samples of a row in the order they were taken: a drift slopes, two modes are two stripes.
#include <fmt/format.h>

#include <algorithm>

#include "reports/break_even/search_row.hpp"
#include "reports/charts/drawing.hpp"

namespace breakeven::drawing {
namespace {

struct Telling {
  std::size_t report;
  std::size_t row;
  double width;  // of the interval, relative
};

void draw_row(std::size_t number, const RowView& row, bool is_widest, Drawing& drawing) {
  const auto visits = row.samples(Column::samples_ns);
  if (!visits || visits->size() < 2) {
    return;
  }
  Chart chart{
      file_name(fmt::format("visits-{}-{}", row.text(Column::name), row.text(Column::round))),
      printable(fmt::format("Every sample: {}", row.text(Column::name))),
      is_widest ? "The row with the widest interval. A visit is a short block of samples; "
                  "a drift slopes, two modes are two stripes."
                : "The largest product measured to the narrowest interval.",
      {"visit", "", Scale::linear},
      {"time", "s", Scale::linear},
      {},
      {},
      {}};
  constexpr std::size_t most_of_a_visit = 20;
  Series samples{"sample", 0, Line::none, {}}, medians{"median of a visit", 1, Line::solid, {}};
  for (std::size_t i = 0; i < visits->size(); ++i) {
    const auto& visit = (*visits)[i];
    const auto x = static_cast<double>(i + 1);
    const auto step = visit.size() / most_of_a_visit + 1;
    for (std::size_t j = 0; j < visit.size(); j += step) {
      const double y = visit[j] * 1e-9;
      samples.points.push_back({x, y, y, y, {}});
    }
    auto sorted = visit;
    std::sort(sorted.begin(), sorted.end());
    if (!sorted.empty()) {
      const double y = sorted[sorted.size() / 2] * 1e-9;
      medians.points.push_back({x, y, y, y, id_of(number, row)});
    }
  }
  chart.series = {std::move(samples), std::move(medians)};
  drawing.charts.push_back(std::move(chart));
}

}  // namespace

void draw_visits(std::span<const Report> reports, Drawing& drawing) {
  std::optional<Telling> widest, best;
  double most_flops = 0;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    for (std::size_t j = 0; j < reports[i].size(); ++j) {
      const auto row = reports[i].row(j);
      const auto interval = row.visits_interval();
      const auto median = row.real(Column::median_ns);
      if (row.status() != Status::ok || is_probe(row) || !interval || !median) {
        continue;
      }
      const Telling telling{i, j, (interval->high_ns - interval->low_ns) / *median};
      if (!widest || telling.width > widest->width) {
        widest = telling;
      }
      const double flops = row.real(Column::flops).value_or(0);
      if (flops > most_flops || (flops == most_flops && best && telling.width < best->width)) {
        most_flops = flops;
        best = telling;
      }
    }
  }
  if (widest) {
    draw_row(widest->report, reports[widest->report].row(widest->row), true, drawing);
  }
  if (best && (best->report != widest->report || best->row != widest->row)) {
    draw_row(best->report, reports[best->report].row(best->row), false, drawing);
  }
}

}  // namespace breakeven::drawing
