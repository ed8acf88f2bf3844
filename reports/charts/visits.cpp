// SPDX-License-Identifier: Apache-2.0
// The samples of a case in the order they were taken: a drift slopes, two modes are two stripes.
#include <fmt/format.h>

#include <algorithm>

#include "reports/break_even/search_row.hpp"
#include "reports/charts/drawing.hpp"
#include "reports/statistics/order_statistics.hpp"
#include "reports/text/quantity.hpp"

namespace breakeven::drawing {
namespace {

struct Telling {
  const Curve* curve;
  const Place* place;
  double width, size;  // of the interval, relative; of the work
};

constexpr std::size_t most_charts = 4, most_of_a_visit = 20;

double size_of(const RowView& row) {
  return row.real(Column::flops).value_or(row.real(Column::work_bytes).value_or(0));
}

// The places of other devices where the same was measured.
bool is_same_work(const Telling& one, const Telling& other) {
  const auto key = [](const Telling& telling) {
    const auto& row = telling.place->rounds.front().row;
    std::string text;
    for (const auto& column : columns()) {
      if (column.is_key && column.column != Column::backend && column.column != Column::device) {
        text += std::string(row.text(column.column)) + "\n";
      }
    }
    return text;
  };
  return key(one) == key(other);
}

// Its first round: the samples as faint marks, and the median of each visit with its quartiles.
void add_samples(const Telling& telling, std::size_t number, std::size_t among, Chart& chart,
                 Drawing& drawing) {
  const auto& row = telling.place->rounds.front().row;
  const auto visits = row.samples(Column::samples_ns).value_or(Visits{});
  const auto colour = drawing.colours.of(*telling.curve);
  Series samples{"", colour, Line::none, {}},
      medians{telling.curve->label({}), colour, Line::solid, {}};
  // Beside each other, not above.
  const double off = 0.12 * (static_cast<double>(number) - static_cast<double>(among - 1) / 2);
  for (std::size_t i = 0; i < visits.size(); ++i) {
    auto visit = visits[i];
    const double x = static_cast<double>(i + 1) + off;
    const auto step = visit.size() / most_of_a_visit + 1;
    for (std::size_t j = 0; visit.size() > 1 && j < visit.size(); j += step) {
      samples.points.push_back({x, visit[j] * 1e-9, visit[j] * 1e-9, visit[j] * 1e-9});
    }
    std::sort(visit.begin(), visit.end());
    if (!visit.empty()) {
      medians.points.push_back({static_cast<double>(i + 1), quantile_sorted(visit, 0.5) * 1e-9,
                                quantile_sorted(visit, 0.25) * 1e-9,
                                quantile_sorted(visit, 0.75) * 1e-9, id_of(drawing.number, row)});
    }
  }
  chart.series.push_back(std::move(samples));
  chart.series.push_back(std::move(medians));
}

void draw_case(const Telling& first, std::span<const Telling> all, std::string caption,
               Drawing& drawing) {
  std::vector<Telling> shown;
  for (const auto& telling : all) {
    if (is_same_work(first, telling)) {
      shown.push_back(telling);
    }
  }
  const auto& row = first.place->rounds.front().row;
  std::string name(row.text(Column::case_name));
  for (const auto column : {Column::type, Column::mode, Column::n, Column::bytes, Column::memory}) {
    if (row.is_known(column)) {
      name += column == Column::n       ? fmt::format(", n = {}", row.text(column))
              : column == Column::bytes ? ", " + bytes_text(row.real(column).value_or(0))
                                        : fmt::format(", {}", row.text(column));
    }
  }
  Chart chart{file_name("visits-" + name),
              printable("Every sample: " + name),
              std::move(caption),
              {"visit, a short block of samples", "", Scale::linear},
              {"time", "s", Scale::linear}};
  if (std::any_of(drawing.charts.begin(), drawing.charts.end(),
                  [&](const Chart& other) { return other.id == chart.id; })) {
    return;
  }
  for (std::size_t i = 0; i < shown.size(); ++i) {
    add_samples(shown[i], i, shown.size(), chart, drawing);
  }
  double low = INFINITY, high = 0;
  for (const auto& series : chart.series) {
    for (const auto& point : series.points) {
      low = std::min(low, point.y);
      high = std::max(high, point.y);
    }
  }
  chart.y.scale = high > 10 * low ? Scale::logarithmic : Scale::linear;
  drawing.charts.push_back(std::move(chart));
}

}  // namespace

// The case whose interval is widest, and of every question the largest work that was sampled well.
void draw_visits(std::span<const Sweep> sweeps, Drawing& drawing) {
  std::vector<Telling> all, telling;
  for (const auto& sweep : sweeps) {
    std::vector<Telling> best;
    for (const auto& curve : sweep.curves) {
      for (const auto& place : curve.places) {
        const auto& row = place.rounds.front().row;
        const auto interval = row.visits_interval();
        const auto middle = row.real(Column::median_ns);
        const auto visits = row.integer(Column::n_visits).value_or(0);
        if (is_probe(row) || visits < 2 || !middle) {
          continue;
        }
        const double width = interval ? (interval->high_ns - interval->low_ns) / *middle : 0;
        all.push_back({&curve, &place, width, size_of(row)});
        if (row.integer(Column::n_samples).value_or(0) >= 3 * visits &&
            (best.empty() || size_of(row) > best.front().size)) {
          best = {all.back()};
        }
      }
    }
    telling.insert(telling.end(), best.begin(), best.end());
  }
  if (all.empty()) {
    return;
  }
  const std::string words =
      "A drift slopes, two modes are two stripes; the shade holds half of a visit.";
  draw_case(*std::max_element(
                all.begin(), all.end(),
                [](const Telling& one, const Telling& other) { return one.width < other.width; }),
            all, "The widest interval of this report. " + words, drawing);
  for (std::size_t i = 0; i < std::min(telling.size(), most_charts - 1); ++i) {
    draw_case(telling[i], all, words, drawing);
  }
}

}  // namespace breakeven::drawing
