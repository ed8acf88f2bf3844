// SPDX-License-Identifier: Apache-2.0
// What is drawn, wherever it is drawn: on the page, and in files for a paper.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reports/reader/report.hpp"

namespace breakeven::drawing {

struct Point {
  double x = 0, y = 0;
  double low = 0, high = 0;  // interval of y; equal to y where unknown
  std::string row = {};      // id_of a row behind it; may be empty
  std::string name = {};     // its own, where the series' does not say it
};

enum class Line : std::uint8_t {
  solid,
  dashed,
  dotted,
  none,     // the points alone
  band,     // two points: everything between their x
  ceiling,  // a limit that the label names; belongs to no series
};

struct Series {
  std::string label;       // empty: not named
  std::size_t colour = 0;  // the same number is the same colour and mark
  Line line = Line::solid;
  std::vector<Point> points;
};

// All bars of a chart stand for the same work.
struct Bar {
  std::string group, label;
  std::size_t colour = 0;
  double value = 0, low = 0, high = 0;
  std::string row;
  struct Part {
    std::string label;
    double share = 0;
  };
  std::vector<Part> parts;  // what the value is made of, from the left; may be empty
};

// How a case is spread over machines, relative to their median.
struct Box {
  std::string label, value;                                        // value: what the median is
  double low = 1, first_quarter = 1, third_quarter = 1, high = 1;  // of those that are not outside
  std::vector<std::pair<std::string, double>> outside;             // by name
};

enum class Scale : std::uint8_t { logarithmic, linear };

struct Axis {
  std::string label;
  std::string unit;  // `FLOP/s`, `B/s`, `s`, `B`: shown with a prefix; empty: a plain number
  Scale scale = Scale::logarithmic;
  double low = 0, high = 0;  // reaches at least so far: charts side by side share a scale
};

// Of series, bars or boxes.
struct Chart {
  std::string id = {};  // a file name
  std::string title = {}, caption = {};
  Axis x = {}, y = {};
  std::vector<Series> series = {};
  std::vector<Bar> bars = {};
  std::string case_name = {};  // whose rows are drawn; empty: of several cases
  std::string question = {};   // `Q5`: drawn for this answer
  std::vector<Box> boxes = {};
  std::size_t report = 0;
  std::string origin = {};  // whose rows, where there are several machines or reports
};

// `r0-12`: the row at line 12 of the first report.
std::string id_of(std::size_t report, const RowView& row);

// All charts that the rows give, of each machine in each report.
std::vector<Chart> charts_of(std::span<const Report> reports);

}  // namespace breakeven::drawing
