// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/chart.hpp"

#include <set>

#include "reports/charts/drawing.hpp"

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
  Drawing drawing;
  drawing.reports = reports;
  std::set<std::string> machines;
  for (const auto& report : reports) {
    machines.insert(report.machines().begin(), report.machines().end());
  }
  drawing.several_machines = machines.size() > 1;
  const auto sweeps = sweeps_of(reports);
  for (const auto& sweep : sweeps) {
    draw(sweep, drawing);
  }
  draw_rooflines(sweeps, drawing);
  draw_visits(reports, drawing);
  return std::move(drawing.charts);
}

}  // namespace breakeven::drawing
