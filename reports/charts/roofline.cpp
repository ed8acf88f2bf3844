// SPDX-License-Identifier: Apache-2.0
// Williams, Waterman, Patterson: Roofline (CACM 52, 2009).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "reports/charts/drawing.hpp"
#include "reports/text/quantity.hpp"

namespace breakeven::drawing {
namespace {

struct Machine {
  std::map<std::string, double> peaks, bandwidths;  // by the name of the ceiling
  std::map<std::size_t, Series> devices;            // by colour
};

// A row under a roof has both; sums and shares of ceilings are of no one place.
void add_ceiling(Machine& machine, const RowView& row) {
  const auto value = row.real(Column::ceiling);
  const auto source = std::string(row.text(Column::ceiling_source));
  const auto unit = row.text(Column::ceiling_unit);
  if (!value || source.find_first_of("+/*") != source.npos) {
    return;
  }
  if (unit == "flop/s" || unit == "byte/s") {
    auto& known = (unit == "flop/s" ? machine.peaks : machine.bandwidths)[source];
    known = std::max(known, *value);
  }
}

void add_roofs(const Machine& machine, Chart& chart) {
  double low = INFINITY, high = 0;
  for (const auto& [colour, series] : machine.devices) {
    for (const auto& point : series.points) {
      low = std::min(low, point.x);
      high = std::max(high, point.x);
    }
  }
  double peak = 0;
  for (const auto& [name, value] : machine.peaks) {
    peak = std::max(peak, value);
  }
  for (const auto& [name, value] : machine.bandwidths) {
    low = std::min(low, 0.3 * peak / value);  // so that the slope is seen
  }
  for (const auto& [name, value] : machine.bandwidths) {
    const double end = std::min(high, peak / value);
    chart.series.push_back({printable(fmt::format("{}: {}", name, rate_text(value, "B/s"))),
                            0,
                            Line::ceiling,
                            {{low, low * value, low * value, low * value, {}},
                             {end, end * value, end * value, end * value, {}}}});
  }
  for (const auto& [name, value] : machine.peaks) {
    chart.series.push_back({printable(fmt::format("{}: {}", name, rate_text(value, "FLOP/s"))),
                            0,
                            Line::ceiling,
                            {{low, value, value, value, {}}, {high, value, value, value, {}}}});
  }
}

}  // namespace

void draw_roofline(std::span<const Sweep> sweeps, Drawing& drawing) {
  Machine machine;
  for (const auto& sweep : sweeps) {
    for (const auto& curve : sweep.curves) {
      if (curve.text(Column::type) != "f32" || curve.text(Column::cache) == "cold" ||
          !sweep.search.empty()) {
        continue;
      }
      for (const auto& place : curve.places) {
        const auto& row = place.rounds.front().row;
        add_ceiling(machine, row);
        const auto flops = row.real(Column::flops), bytes = row.real(Column::work_bytes);
        auto point = point_of(place, [&](const RowView&, double ns) {
          return flops ? std::optional(*flops / ns * 1e9) : std::nullopt;
        });
        if (!point || !bytes || !(*bytes > 0) || curve.text(Column::mode).starts_with("offload")) {
          continue;
        }
        point->x = *flops / *bytes;
        point->name = printable(std::string(row.text(Column::name)));
        const auto colour = drawing.colours.of(curve);
        auto& series = machine.devices[colour];
        series.label = curve.label({});
        series.colour = colour;
        series.line = Line::none;
        series.points.push_back(*point);
      }
    }
  }
  if (machine.peaks.empty() || machine.devices.empty()) {
    return;
  }
  Chart chart{"roofline",
              "Roofline, f32",
              "Nearer to a roof is better: sloping, what memory delivers; level, what the "
              "processors compute. Roofs were measured in the same run.",
              {"work per byte moved, FLOP/B", "", Scale::logarithmic},
              {"rate", "FLOP/s", Scale::logarithmic}};
  for (const auto& [colour, series] : machine.devices) {
    chart.series.push_back(series);
  }
  add_roofs(machine, chart);
  drawing.charts.push_back(std::move(chart));
}

}  // namespace breakeven::drawing
