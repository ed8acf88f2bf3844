// SPDX-License-Identifier: Apache-2.0
// When cases became slower or faster, and what changed there.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/history/history.hpp"
#include "reports/statistics/effect.hpp"

namespace breakeven::history {

// Of the runs in which nothing changed, so many name a change: shared out over all series.
inline constexpr double alarms_per_run = 0.005;
inline constexpr double least_change = 0.01;  // of a time: what is less is not told

struct Change {
  std::size_t series = 0;
  std::size_t first = 0;               // place of the first point after it
  std::size_t points = 0;              // at the new level
  double before_ns = 0, after_ns = 0;  // medians
  Effect effect;                       // after / before
  double p_value = 1;                  // of the series not changing here

  bool is_slower() const { return after_ns > before_ns; }
};

// Changes that begin with one run of one machine.
struct Step {
  std::vector<Change> changes;  // the largest first
  // What the reports tell otherwise than those before, `libraries openblas: 0.3.21 -> 0.3.26`.
  std::vector<std::string> differences;
  // Where they tell nothing there: what changed up to two places away, and where.
  std::vector<std::string> differences_nearby;
};

// A case whose newest run has no time, but runs before have.
struct Loss {
  std::size_t series = 0;
  std::size_t first = 0;  // place since when
};

struct Findings {
  std::vector<Step> steps;  // the newest first
  std::vector<Loss> losses;
  std::size_t judged = 0, too_short = 0;  // series
  std::size_t longest = 0;                // points of a series

  bool is_worse() const;  // anything slower or lost
};

struct Options {
  double least = least_change;
  std::string since;  // a beginning of ISO 8601: what changed earlier is not told
};

Findings changes(const History& history, const Options& options);

}  // namespace breakeven::history
