// SPDX-License-Identifier: Apache-2.0
// What the makers of charts share.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reports/break_even/stored_sweep.hpp"
#include "reports/charts/chart.hpp"
#include "reports/charts/curves.hpp"

namespace breakeven::drawing {

// Devices keep their colour through all charts, those of one name on other machines too.
class Colours {
 public:
  std::size_t of(const Curve& curve);

 private:
  std::vector<std::string> names_;
};

// The charts of one machine in one report.
struct Drawing {
  const Report& report;
  std::size_t number;  // of the report
  std::string machine;
  Colours& colours;
  std::vector<Chart> charts = {};
  std::map<std::string, std::vector<StoredSweep>> stored = {};

  // What the rows of one case say of break-even points.
  const std::vector<StoredSweep>& sweeps_of_case(const std::string& case_name);
};

std::string file_name(const std::string& text);
std::string titled(const std::string& text, const std::string& case_name, const std::string& type);

bool have(const std::vector<Curve>& curves, Column column);  // any of them

// Of the work that all modes of a case have in common: one step of those that count steps, all
// passes of what was timed pass by pass.
std::optional<double> work_seconds(const RowView& row, double nanoseconds);

// What is drawn of rows over a size.
struct Measure {
  std::string id, title, caption;
  Axis y;
  Value value;
  std::string ceiling_unit = {};  // empty: no ceilings
};

Measure measure_of(const std::vector<Curve>& curves);
Axis x_axis(const Sweep& sweep);
// Of curves with two places and more; modes of one device differ in their dashes.
void add_lines(Chart& chart, std::span<const Curve> curves, Drawing& drawing, const Value& value);

// Break-even points: one per pair of sides; of a sweep and a search that of the search, which is
// narrower.
void add_brackets(Chart& chart, const Sweep& sweep, const std::string& type,
                  const std::string& mode, Drawing& drawing);

// Each adds its charts to the drawing, or none.
void draw_lines(const Sweep& sweep, Drawing& drawing);  // over a size
void draw_clocks(const Sweep& sweep, Drawing& drawing);
void draw_search(const Sweep& sweep, Drawing& drawing);
void draw_bars(const Sweep& sweep, Drawing& drawing);
void draw_roofline(std::span<const Sweep> sweeps, Drawing& drawing);
void draw_visits(std::span<const Sweep> sweeps, Drawing& drawing);  // of a few telling cases
void draw_efficiency(const Sweep& sweep, Drawing& drawing);

}  // namespace breakeven::drawing
