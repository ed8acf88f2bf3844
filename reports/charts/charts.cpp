// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "reports/break_even/stored_sweep.hpp"
#include "reports/charts/chart.hpp"
#include "reports/charts/curves.hpp"
#include "reports/charts/latency_fit.hpp"
#include "reports/text/quantity.hpp"

namespace breakeven::drawing {
namespace {

constexpr std::size_t most_bands = 4;

std::string file_name(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
  }
  return result;
}

// Devices keep their colour through all charts.
class Colours {
 public:
  std::size_t of(const Curve& curve) {
    const auto name = curve.text(Column::machine) + "\n" + curve.text(Column::device);
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found != names_.end()) {
      return static_cast<std::size_t>(found - names_.begin());
    }
    names_.push_back(name);
    return names_.size() - 1;
  }

 private:
  std::vector<std::string> names_;
};

struct Drawing {
  std::span<const Report> reports;
  bool several_machines = false;
  Colours colours;
  std::vector<Chart> charts;
};

bool all_have(const std::vector<Curve>& curves, Column column) {
  return std::all_of(curves.begin(), curves.end(),
                     [&](const Curve& curve) { return curve.sample.row.is_known(column); });
}

bool have(const std::vector<Curve>& curves, Column column) {
  return std::any_of(curves.begin(), curves.end(),
                     [&](const Curve& curve) { return curve.sample.row.is_known(column); });
}

std::optional<double> per_second(const RowView& row, Column work, double nanoseconds) {
  const auto amount = row.real(work);
  return amount ? std::optional(*amount / nanoseconds * 1e9) : std::nullopt;
}

std::optional<double> step_seconds(const RowView& row, double nanoseconds) {
  return nanoseconds * 1e-9 / row.real(Column::count).value_or(1);
}

// One curve's line; modes of one device differ in their dashes.
std::optional<Series> line_of(const Curve& curve, std::span<const Curve> among, Drawing& drawing,
                              const Value& value) {
  Series series{
      curve.label(among, drawing.several_machines), drawing.colours.of(curve), Line::solid, {}};
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

void add_lines(Chart& chart, std::span<const Curve> curves, Drawing& drawing, const Value& value) {
  for (const auto& curve : curves) {
    if (auto line = line_of(curve, curves, drawing, value); line && line->points.size() > 1) {
      chart.series.push_back(std::move(*line));
    }
  }
  tell_modes_apart(chart.series);
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

void add_brackets(Chart& chart, const std::string& case_name, const std::string& type,
                  Drawing& drawing) {
  std::size_t bands = 0;
  for (const auto& report : drawing.reports) {
    SweepQuery query;
    query.case_name = case_name;
    query.type = type;
    for (const auto& sweep : stored_sweeps(report, query)) {
      const bool is_bracket = sweep.finding.kind == Finding::Kind::bracket;
      if (!is_bracket || sweep.mode != sweep.to_mode || bands == most_bands) {
        continue;
      }
      const auto low = static_cast<double>(sweep.finding.low());
      const auto high = static_cast<double>(sweep.finding.high());
      chart.series.push_back(
          {fmt::format("break-even {} / {}, {}: {} to {}", sweep.names.from, sweep.names.to,
                       sweep.mode, sweep.finding.low(), sweep.finding.high()),
           100 + bands++,
           Line::band,
           {{low, 0, 0, 0, {}}, {high, 0, 0, 0, {}}}});
    }
  }
}

Axis x_axis(const Sweep& sweep) {
  const auto axis = *sweep.axis;
  return {axis == Column::bytes ? "bytes of one transfer" : std::string(info(axis).name),
          axis == Column::bytes ? "B" : "", Scale::logarithmic};
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

std::string titled(const std::string& text, const std::string& case_name, const std::string& type) {
  return printable(text + ": " + case_name + (type == unknown ? "" : ", " + type));
}

void draw_rates(const Sweep& sweep, Drawing& drawing, Column work, const std::string& unit) {
  for (const auto& [type, curves] : by_type(sweep.curves)) {
    Chart chart{
        file_name("rate-" + sweep.case_name + "-" + type),
        titled("Rate over size", sweep.case_name, type),
        "Higher is better. Dotted: each device's ceiling, measured in the same run; shaded: where "
        "the faster side changes.",
        x_axis(sweep),
        {"rate", unit, Scale::logarithmic},
        {},
        {}};
    add_lines(chart, curves, drawing,
              [work](const RowView& row, double ns) { return per_second(row, work, ns); });
    if (!chart.series.empty()) {
      add_ceilings(chart, curves, drawing, unit == "FLOP/s" ? "flop/s" : "byte/s");
      add_brackets(chart, sweep.case_name, type, drawing);
      drawing.charts.push_back(std::move(chart));
    }
  }
}

void draw_transfers(const Sweep& sweep, Drawing& drawing) {
  Chart chart{file_name("time-" + sweep.case_name),
              titled("Time over bytes", sweep.case_name, "NA"),
              "Lower is better. Dotted: the fit latency + bytes / bandwidth.",
              x_axis(sweep),
              {"time", "s", Scale::logarithmic},
              {},
              {}};
  add_lines(chart, sweep.curves, drawing,
            [](const RowView&, double ns) { return std::optional(ns * 1e-9); });
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

void draw_steps(const Sweep& sweep, Drawing& drawing) {
  for (const auto& [type, curves] : by_type(sweep.curves)) {
    Chart chart{file_name("step-" + sweep.case_name + "-" + type),
                titled("Time of one step", sweep.case_name, type),
                "Lower is better.",
                x_axis(sweep),
                {"time", "s", Scale::logarithmic},
                {},
                {}};
    add_lines(chart, curves, drawing, step_seconds);
    if (!chart.series.empty()) {
      drawing.charts.push_back(std::move(chart));
    }
  }
}

// Where no size varies: modes side by side.
void draw_bars(const Sweep& sweep, Drawing& drawing) {
  Chart chart{file_name("modes-" + sweep.case_name),
              titled("Time of one step", sweep.case_name, "NA"),
              "Lower is better.",
              {"", "", Scale::linear},
              {"time", "s", Scale::logarithmic},
              {},
              {}};
  for (const auto& curve : sweep.curves) {
    const auto point = point_of(curve.places.front(), step_seconds);
    if (!point) {
      continue;
    }
    const auto device = (drawing.several_machines ? curve.text(Column::machine) + " " : "") +
                        curve.text(Column::device);
    auto label = curve.label(sweep.curves, drawing.several_machines);
    const auto rest = label.find(" · ", drawing.several_machines ? label.find(" · ") + 1 : 0);
    label = rest == label.npos ? sweep.case_name : label.substr(rest + std::string(" · ").size());
    auto category = std::find(chart.categories.begin(), chart.categories.end(), label);
    if (category == chart.categories.end()) {
      category = chart.categories.insert(category, label);
    }
    auto series = std::find_if(chart.series.begin(), chart.series.end(),
                               [&](const Series& entry) { return entry.label == device; });
    if (series == chart.series.end()) {
      series = chart.series.insert(series, {device, drawing.colours.of(curve), Line::solid, {}});
    }
    series->points.push_back(*point);
    series->points.back().x = static_cast<double>(category - chart.categories.begin());
  }
  if (!chart.series.empty()) {
    drawing.charts.push_back(std::move(chart));
  }
}

// For the first type and mode of each device.
void draw_clocks(const Sweep& sweep, Drawing& drawing) {
  Chart chart{file_name("clocks-" + sweep.case_name),
              titled("What is waited for: wall clock against handing over", sweep.case_name, "NA"),
              "Solid: until the work is done; dashed: until it is handed over. Where they part, a "
              "clock that does not wait is wrong.",
              x_axis(sweep),
              {"time", "s", Scale::logarithmic},
              {},
              {}};
  std::set<std::size_t> done;
  for (const auto& curve : sweep.curves) {
    const auto colour = drawing.colours.of(curve);
    if (curve.places.size() < 2 || !curve.sample.row.is_known(Column::enqueue_median_ns) ||
        !done.insert(colour).second) {
      continue;
    }
    const auto device = curve.label({}, drawing.several_machines);
    const auto clock = [&](Column column, const std::string& name, Line style) {
      Series series{device + " " + name, colour, style, {}};
      for (const auto& place : curve.places) {
        const auto point = point_of(place, [&](const RowView& row, double) {
          const auto ns = row.real(column);
          return ns ? std::optional(*ns * 1e-9) : std::nullopt;
        });
        if (point) {
          series.points.push_back(*point);
        }
      }
      if (series.points.size() > 1) {
        chart.series.push_back(std::move(series));
      }
    };
    clock(Column::median_ns, "wall", Line::solid);
    clock(Column::enqueue_median_ns, "enqueue", Line::dashed);
    clock(Column::device_median_ns, "device", Line::dotted);
  }
  if (!chart.series.empty()) {
    drawing.charts.push_back(std::move(chart));
  }
}

// Rows whose details say `efficiency`.
void draw_efficiency(const Sweep& sweep, Drawing& drawing) {
  Chart chart{file_name("efficiency-" + sweep.case_name),
              titled("Parallel efficiency", sweep.case_name, "NA"),
              "1 is perfect: k devices take a k-th of the time of the best one alone.",
              {"", "", Scale::linear},
              {"efficiency", "", Scale::linear},
              {},
              {{"efficiency", 0, Line::solid, {}}}};
  const auto efficiency = [](const RowView& row, double) -> std::optional<double> {
    for (const auto& [key, value] : row.pairs(Column::details)) {
      if (key == "efficiency") {
        return std::strtod(value.c_str(), nullptr);
      }
    }
    return std::nullopt;
  };
  for (const auto& curve : sweep.curves) {
    for (const auto& place : curve.places) {
      if (auto point = point_of(place, efficiency)) {
        point->x = static_cast<double>(chart.categories.size());
        chart.series[0].points.push_back(*point);
        auto label = curve.label(sweep.curves, drawing.several_machines);
        if (sweep.axis) {
          label += fmt::format(" · {} {:g}", info(*sweep.axis).name, place.x);
        }
        chart.categories.push_back(std::move(label));
      }
    }
  }
  if (!chart.categories.empty()) {
    drawing.charts.push_back(std::move(chart));
  }
}

void draw(const Sweep& sweep, Drawing& drawing) {
  const bool has_rate = have(sweep.curves, Column::flops) || have(sweep.curves, Column::work_bytes);
  if (!sweep.axis) {
    draw_bars(sweep, drawing);
  } else if (have(sweep.curves, Column::bytes)) {
    draw_transfers(sweep, drawing);
  } else if (all_have(sweep.curves, Column::count) || !has_rate) {
    draw_steps(sweep, drawing);
  } else {
    const bool flops = have(sweep.curves, Column::flops);
    draw_rates(sweep, drawing, flops ? Column::flops : Column::work_bytes,
               flops ? "FLOP/s" : "B/s");
    draw_clocks(sweep, drawing);
  }
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
  for (const auto& sweep : sweeps_of(reports)) {
    draw(sweep, drawing);
  }
  return std::move(drawing.charts);
}

}  // namespace breakeven::drawing
