// SPDX-License-Identifier: Apache-2.0
// What is drawn, however it is drawn: in a browser by Chart.js, on paper by gnuplot.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reports/reader/report.hpp"

namespace breakeven::drawing {

struct Point {
  double x = 0, y = 0;
  double low = 0, high = 0;  // interval of y; equal to y where unknown
  std::string row;           // id_of a row behind it; may be empty
};

enum class Line : std::uint8_t {
  solid,
  dashed,
  dotted,
  band,  // two points: everything between their x
};

struct Series {
  std::string label;       // empty: not in the legend
  std::size_t colour = 0;  // the same number is the same colour
  Line line = Line::solid;
  std::vector<Point> points;
};

enum class Scale : std::uint8_t { logarithmic, linear };

struct Axis {
  std::string label;
  std::string unit;  // `FLOP/s`, `B/s`, `s`, `B`: shown with a prefix; empty: a plain number
  Scale scale = Scale::logarithmic;
};

struct Chart {
  std::string id;  // a file name
  std::string title, caption;
  Axis x, y;
  std::vector<std::string> categories;  // not empty: bars, and x counts these from 0
  std::vector<Series> series;
};

// `r0-12`: the row at line 12 of the first report.
std::string id_of(std::size_t report, const RowView& row);

// All charts that the rows give, in the order of the reports.
std::vector<Chart> charts_of(std::span<const Report> reports);

}  // namespace breakeven::drawing
