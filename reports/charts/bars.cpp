// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "reports/charts/drawing.hpp"

namespace breakeven::drawing {

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
    const auto& origin = curve.sample.origin;
    const auto device = (origin.empty() ? "" : origin + " ") + curve.text(Column::device);
    auto label = curve.label(sweep.curves);
    const auto rest = label.find(" · ", origin.empty() ? 0 : label.find(" · ") + 1);
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

// Rows of several devices whose details say `efficiency`.
void draw_efficiency(const Sweep& sweep, Drawing& drawing) {
  Chart chart{file_name("efficiency-" + sweep.case_name),
              titled("Parallel efficiency", sweep.case_name, "NA"),
              "1 is perfect: k devices take a k-th of the time of the best one alone.",
              {"", "", Scale::linear},
              {"efficiency", "", Scale::linear},
              {},
              {{"efficiency", 0, Line::solid, {}}}};
  const auto efficiency = [](const RowView& row, double) -> std::optional<double> {
    if (row.integer(Column::devices).value_or(0) < 2) {
      return std::nullopt;  // one device has nothing to share with
    }
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
        auto label = curve.label(sweep.curves);
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

}  // namespace breakeven::drawing
