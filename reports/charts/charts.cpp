// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/chart.hpp"

#include "reports/charts/drawing.hpp"
#include "reports/reader/origins.hpp"

namespace breakeven::drawing {
namespace {

void draw(const Sweep& sweep, Drawing& drawing) {
  if (!sweep.search.empty()) {
    return draw_search(sweep, drawing);
  }
  if (sweep.axis) {
    draw_lines(sweep, drawing);
  }
  draw_bars(sweep, drawing);
  draw_efficiency(sweep, drawing);
}

}  // namespace

std::vector<Chart> charts_of(std::span<const Report> reports) {
  Colours colours;
  std::vector<Chart> charts;
  const auto origins = origins_of(reports);
  for (const auto& origin : origins) {
    Drawing drawing{reports[origin.report], origin.report, origin.machine, colours};
    const auto sweeps = sweeps_of(drawing.report, drawing.number, origin.machine);
    draw_roofline(sweeps, drawing);
    draw_visits(sweeps, drawing);
    for (const auto& sweep : sweeps) {
      draw(sweep, drawing);
    }
    for (auto& chart : drawing.charts) {
      chart.report = origin.report;
      if (origins.size() > 1) {
        chart.origin = printable(origin.name);
        chart.id = file_name(chart.origin + "-" + chart.id);
      }
      charts.push_back(std::move(chart));
    }
  }
  return charts;
}

}  // namespace breakeven::drawing
