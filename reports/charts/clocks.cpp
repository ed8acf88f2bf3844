// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "reports/charts/drawing.hpp"

namespace breakeven::drawing {

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

}  // namespace breakeven::drawing
