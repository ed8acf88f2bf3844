// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "reports/charts/drawing.hpp"
#include "reports/statistics/visit_interval.hpp"

namespace breakeven::drawing {
namespace {

// Of one round; several rounds have theirs.
std::optional<MedianInterval> interval_of(const Place& place, Column samples) {
  const auto visits = place.rounds.front().row.samples(samples);
  std::vector<double> medians;
  for (std::size_t i = 0; visits && i < visits->size(); ++i) {
    if (!(*visits)[i].empty() && median((*visits)[i]) > 0) {
      medians.push_back(median((*visits)[i]));
    }
  }
  return place.rounds.size() == 1 ? visit_interval(medians) : std::nullopt;
}

}  // namespace

// For the first type and mode of each device.
void draw_clocks(const Sweep& sweep, Drawing& drawing) {
  Chart chart{file_name("clocks-" + sweep.case_name),
              titled("What is waited for: wall clock against handing over", sweep.case_name, "NA"),
              "Solid: until the work is done; dashed: until it is handed over. Where they part, a "
              "clock that does not wait is wrong.",
              x_axis(sweep),
              {"time", "s", Scale::logarithmic},
              {},
              {},
              sweep.case_name};
  std::set<std::size_t> done;
  for (const auto& curve : sweep.curves) {
    const auto colour = drawing.colours.of(curve);
    if (curve.places.size() < 2 || !curve.sample.row.is_known(Column::enqueue_median_ns) ||
        !done.insert(colour).second) {
      continue;
    }
    const auto device = curve.label({});
    const auto clock = [&](Column column, Column samples, const std::string& name, Line style) {
      Series series{device + " " + name, colour, style, {}};
      for (const auto& place : curve.places) {
        auto point = point_of(place, [&](const RowView& row, double) {
          const auto ns = row.real(column);
          return ns ? std::optional(*ns * 1e-9) : std::nullopt;
        });
        if (!point) {
          continue;
        }
        if (const auto interval = interval_of(place, samples)) {
          point->low = std::min(point->y, interval->low * 1e-9);
          point->high = std::max(point->y, interval->high * 1e-9);
        }
        series.points.push_back(*point);
      }
      if (series.points.size() > 1) {
        chart.series.push_back(std::move(series));
      }
    };
    clock(Column::median_ns, Column::samples_ns, "wall", Line::solid);
    clock(Column::enqueue_median_ns, Column::enqueue_samples_ns, "enqueue", Line::dashed);
    clock(Column::device_median_ns, Column::device_samples_ns, "device", Line::dotted);
  }
  if (!chart.series.empty()) {
    drawing.charts.push_back(std::move(chart));
  }
}

}  // namespace breakeven::drawing
