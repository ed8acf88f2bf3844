// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/charts/drawing.hpp"
#include "reports/charts/latency_fit.hpp"
#include "reports/text/quantity.hpp"

namespace breakeven::drawing {
namespace {

bool all_have(const std::vector<Curve>& curves, Column column) {
  return std::all_of(curves.begin(), curves.end(),
                     [&](const Curve& curve) { return curve.sample.row.is_known(column); });
}

std::optional<double> per_second(const RowView& row, Column work, double nanoseconds) {
  const auto amount = row.real(work);
  return amount ? std::optional(*amount / nanoseconds * 1e9) : std::nullopt;
}

// One curve's line; modes of one device differ in their dashes.
std::optional<Series> line_of(const Curve& curve, std::span<const Curve> among, Drawing& drawing,
                              const Value& value) {
  Series series{curve.label(among), drawing.colours.of(curve), Line::solid, {}};
  for (const auto& place : curve.places) {
    if (const auto point = point_of(place, value)) {
      series.points.push_back(*point);
    }
  }
  if (series.points.empty()) {
    return std::nullopt;
  }
  return series;
}

void tell_modes_apart(std::vector<Series>& lines) {
  std::vector<std::size_t> seen;
  for (auto& line : lines) {
    const auto before = std::count(seen.begin(), seen.end(), line.colour);
    line.line = before == 0 ? Line::solid : before == 1 ? Line::dashed : Line::dotted;
    seen.push_back(line.colour);
  }
}

// A horizontal line per device: the ceiling that its largest size names.
void add_ceilings(Chart& chart, std::span<const Curve> curves, Drawing& drawing,
                  std::string_view unit) {
  std::set<std::size_t> done;
  for (const auto& curve : curves) {
    const auto& row = curve.places.back().rounds.front().row;
    const auto ceiling = row.real(Column::ceiling);
    const auto colour = drawing.colours.of(curve);
    if (!ceiling || row.text(Column::ceiling_unit) != unit || !done.insert(colour).second) {
      continue;
    }
    double low = curve.places.front().x, high = curve.places.back().x;
    for (const auto& series : chart.series) {
      low = std::min(low, series.points.front().x);
      high = std::max(high, series.points.back().x);
    }
    chart.series.push_back(
        {"",
         colour,
         Line::dotted,
         {{low, *ceiling, *ceiling, *ceiling, {}}, {high, *ceiling, *ceiling, *ceiling, {}}}});
  }
}

// By type, in the order they come.
std::vector<std::pair<std::string, std::vector<Curve>>> by_type(const std::vector<Curve>& curves) {
  std::vector<std::pair<std::string, std::vector<Curve>>> types;
  for (const auto& curve : curves) {
    const auto type = curve.text(Column::type);
    auto found = std::find_if(types.begin(), types.end(),
                              [&](const auto& entry) { return entry.first == type; });
    if (found == types.end()) {
      found = types.insert(types.end(), {type, {}});
    }
    found->second.push_back(curve);
  }
  return types;
}

void draw_transfers(const Sweep& sweep, Drawing& drawing, const Measure& measure) {
  Chart chart{file_name(measure.id + "-" + sweep.case_name),
              titled(measure.title, sweep.case_name, "NA"),
              measure.caption + " Dotted: the fit latency + bytes / bandwidth.",
              x_axis(sweep),
              measure.y,
              {},
              {}};
  add_lines(chart, sweep.curves, drawing, measure.value);
  std::vector<Series> fits;
  for (const auto& line : chart.series) {
    const auto fit = fit_latency(line.points);
    if (!fit) {
      continue;
    }
    Series series{fmt::format("fit of {}: {} + bytes / {}", line.label,
                              time_text(fit->latency * 1e9), rate_text(fit->bandwidth, "B/s")),
                  line.colour,
                  Line::dotted,
                  {}};
    for (const auto& point : line.points) {
      const double y = fit->latency + point.x / fit->bandwidth;
      series.points.push_back({point.x, y, y, y, {}});
    }
    fits.push_back(std::move(series));
  }
  chart.series.insert(chart.series.end(), fits.begin(), fits.end());
  if (!chart.series.empty()) {
    drawing.charts.push_back(std::move(chart));
  }
}

}  // namespace

Axis x_axis(const Sweep& sweep) {
  const auto axis = *sweep.axis;
  return {axis == Column::bytes ? "bytes of one transfer" : std::string(info(axis).name),
          axis == Column::bytes ? "B" : "", Scale::logarithmic};
}

void add_lines(Chart& chart, std::span<const Curve> curves, Drawing& drawing, const Value& value) {
  for (const auto& curve : curves) {
    if (auto line = line_of(curve, curves, drawing, value); line && line->points.size() > 1) {
      chart.series.push_back(std::move(*line));
    }
  }
  tell_modes_apart(chart.series);
}

Measure measure_of(const std::vector<Curve>& curves) {
  const bool has_rate = have(curves, Column::flops) || have(curves, Column::work_bytes);
  if (have(curves, Column::bytes)) {
    return {"time",
            "Time over bytes",
            "Lower is better.",
            {"time", "s", Scale::logarithmic},
            [](const RowView&, double ns) { return std::optional(ns * 1e-9); },
            {}};
  }
  if (all_have(curves, Column::count) || !has_rate) {
    return {"step",
            "Time of one step",
            "Lower is better.",
            {"time", "s", Scale::logarithmic},
            step_seconds,
            {}};
  }
  const bool flops = have(curves, Column::flops);
  const auto work = flops ? Column::flops : Column::work_bytes;
  return {"rate",
          "Rate over size",
          "Higher is better.",
          {"rate", flops ? "FLOP/s" : "B/s", Scale::logarithmic},
          [work](const RowView& row, double ns) { return per_second(row, work, ns); },
          flops ? "flop/s" : "byte/s"};
}

void draw_lines(const Sweep& sweep, Drawing& drawing) {
  const auto measure = measure_of(sweep.curves);
  if (have(sweep.curves, Column::bytes)) {
    return draw_transfers(sweep, drawing, measure);
  }
  for (const auto& [type, curves] : by_type(sweep.curves)) {
    Chart chart{file_name(measure.id + "-" + sweep.case_name + "-" + type),
                titled(measure.title, sweep.case_name, type),
                measure.caption,
                x_axis(sweep),
                measure.y,
                {},
                {}};
    add_lines(chart, curves, drawing, measure.value);
    if (chart.series.empty()) {
      continue;
    }
    if (!measure.ceiling_unit.empty()) {
      chart.caption +=
          " Dotted: each device's ceiling, measured in the same run; shaded: where the faster side "
          "changes.";
      add_ceilings(chart, curves, drawing, measure.ceiling_unit);
      add_brackets(chart, sweep, type, drawing);
    }
    drawing.charts.push_back(std::move(chart));
  }
  if (!measure.ceiling_unit.empty()) {
    draw_clocks(sweep, drawing);
  }
}

}  // namespace breakeven::drawing
