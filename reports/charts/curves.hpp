// SPDX-License-Identifier: Apache-2.0
// Rows that differ in one size only: what a line in a chart is made of.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reports/charts/chart.hpp"

namespace breakeven::drawing {

struct CurveRow {
  RowView row;
  std::size_t report;
};

// All rounds of one case and size.
struct Place {
  double x = 0;
  std::vector<CurveRow> rounds;
};

struct Curve {
  std::vector<Column> distinguishing;  // key columns that may tell it from other curves
  CurveRow sample;                     // any row of it
  std::vector<Place> places;           // by x

  // Of a search the mode that was measured.
  std::string text(Column column) const;
  // The label, from the columns in which these curves differ.
  std::string label(std::span<const Curve> among) const;
};

// All rows of one case that are ok, as curves: those of ordinary runs, or those of one search.
struct Sweep {
  std::string case_name;
  std::string search;          // search_of its rows
  std::optional<Column> axis;  // none: no size varies, and every curve has one place at x = 0
  std::vector<Curve> curves;
};

// Of one machine, in the order of the report; `number` is that of the report.
std::vector<Sweep> sweeps_of(const Report& report, std::size_t number, std::string_view machine);

// The median over the rounds with the interval over them, or inside the process where there is one.
// `value` turns nanoseconds of a row into what is drawn. None where a round has no value.
using Value = std::function<std::optional<double>(const RowView&, double nanoseconds)>;
std::optional<Point> point_of(const Place& place, const Value& value);

}  // namespace breakeven::drawing
