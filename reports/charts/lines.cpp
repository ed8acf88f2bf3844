// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

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

// A line per ceiling that the largest sizes name, with the name that `list` and the rows have.
void add_ceilings(Chart& chart, std::span<const Curve> curves, std::string_view unit) {
  double low = INFINITY, high = 0;
  for (const auto& series : chart.series) {
    low = std::min(low, series.points.front().x);
    high = std::max(high, series.points.back().x);
  }
  std::map<std::string, double> ceilings;
  for (const auto& curve : curves) {
    const auto& row = curve.places.back().rounds.front().row;
    const auto ceiling = row.real(Column::ceiling);
    if (ceiling && row.text(Column::ceiling_unit) == unit) {
      auto& value = ceilings[std::string(row.text(Column::ceiling_source))];
      value = std::max(value, *ceiling);
    }
  }
  constexpr std::size_t most_ceilings = 4;
  constexpr double alike = 0.03;  // one line, and the first one's name
  std::vector<double> drawn;
  for (const auto& ceiling : ceilings) {
    const double value = ceiling.second;
    if (drawn.size() == most_ceilings || std::any_of(drawn.begin(), drawn.end(), [&](double other) {
          return std::abs(other / value - 1) < alike;
        })) {
      continue;
    }
    drawn.push_back(value);
    chart.series.push_back(
        {printable(fmt::format("ceiling {}: {}", ceiling.first, rate_text(value, chart.y.unit))),
         0,
         Line::ceiling,
         {{low, value, value, value}, {high, value, value, value}}});
  }
}

// Where rates that differ by powers of ten hide a crossing: how many times as long each takes as
// the fastest one there.
void draw_ratios(const Chart& rates, Drawing& drawing) {
  Chart chart{"ratio-" + rates.id,
              "How many times as long as the fastest",
              "×1 is the fastest of that size; where lines cross, another one pays off.",
              rates.x,
              {"", "×", Scale::logarithmic}};
  chart.case_name = rates.case_name;
  chart.question = "Q1b";
  std::map<double, double> best;
  for (const auto& series : rates.series) {
    for (const auto& point : series.points) {
      if (series.line != Line::band && series.line != Line::ceiling) {
        best[point.x] = std::max(best[point.x], point.y);
      }
    }
  }
  for (auto series : rates.series) {
    if (series.line != Line::band && series.line != Line::ceiling) {
      for (auto& point : series.points) {
        point.y = best[point.x] / point.y;
        std::tie(point.low, point.high) =
            std::pair(best[point.x] / point.high, best[point.x] / point.low);
      }
      chart.series.push_back(std::move(series));
    }
  }
  drawing.charts.push_back(std::move(chart));
}

struct Part {
  std::string type, mode;  // mode empty: all of them
  std::vector<Curve> curves;
};

// By type, in the order they come; by mode too where a chart would have too many lines.
std::vector<Part> parts_of(const std::vector<Curve>& curves) {
  constexpr std::size_t most_lines = 6;
  std::map<std::string, std::size_t> lines;
  for (const auto& curve : curves) {
    lines[curve.text(Column::type)] += curve.places.size() > 1 ? 1 : 0;
  }
  std::vector<Part> parts;
  for (const auto& curve : curves) {
    const auto type = curve.text(Column::type);
    const auto mode = lines[type] > most_lines ? curve.text(Column::mode) : "";
    auto found = std::find_if(parts.begin(), parts.end(), [&](const Part& part) {
      return part.type == type && part.mode == mode;
    });
    if (found == parts.end()) {
      found = parts.insert(parts.end(), {type, mode, {}});
    }
    found->curves.push_back(curve);
  }
  return parts;
}

void draw_transfers(const Sweep& sweep, Drawing& drawing, const Measure& measure) {
  Chart chart{file_name(measure.id + "-" + sweep.case_name),
              titled(measure.title, sweep.case_name, "NA"),
              measure.caption + " Dotted: the fit latency + bytes / bandwidth.",
              x_axis(sweep),
              measure.y,
              {},
              {},
              sweep.case_name};
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
  std::vector<Curve> drawn(curves.begin(), curves.end());
  std::erase_if(drawn, [](const Curve& curve) { return curve.places.size() < 2; });
  for (const auto& curve : drawn) {
    if (auto line = line_of(curve, drawn, drawing, value); line && line->points.size() > 1) {
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
  const bool is_jacobian = curves.front().text(Column::case_name) == "mlp-jacobian";
  if (all_have(curves, Column::count) || is_jacobian || !has_rate) {
    return {"time",
            is_jacobian ? "Time of the whole" : "Time of one step",
            "Lower is better.",
            {"time", "s", Scale::logarithmic},
            work_seconds,
            {}};
  }
  // What bounds the largest says what is counted, as the answers do.
  const auto& largest = curves.front().places.back().rounds.front().row;
  const bool flops = have(curves, Column::flops) && largest.text(Column::ceiling_unit) != "byte/s";
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
  for (const auto& [type, mode, curves] : parts_of(sweep.curves)) {
    const auto name = sweep.case_name + (mode.empty() ? "" : " " + mode);
    Chart chart{file_name(measure.id + "-" + name + "-" + type),
                titled(measure.title, name, type),
                measure.caption,
                x_axis(sweep),
                measure.y,
                {},
                {},
                sweep.case_name};
    add_lines(chart, curves, drawing, measure.value);
    if (chart.series.empty()) {
      continue;
    }
    if (!measure.ceiling_unit.empty()) {
      add_ceilings(chart, curves, measure.ceiling_unit);
      add_brackets(chart, sweep, type, mode, drawing);
    }
    const bool has_bracket = chart.series.back().line == Line::band;
    drawing.charts.push_back(std::move(chart));
    if (has_bracket && sweep.case_name == "matmul") {
      draw_ratios(Chart(drawing.charts.back()), drawing);
    }
  }
  if (!measure.ceiling_unit.empty()) {
    draw_clocks(sweep, drawing);
  }
}

}  // namespace breakeven::drawing
