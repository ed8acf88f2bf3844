// SPDX-License-Identifier: Apache-2.0
// The finding of a search in words, and why the crossing is where it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/break_even/finding.hpp"
#include "reports/break_even/time_model.hpp"

namespace breakeven {

// The two sides and what a size is called: `serial:0`, `kokkos-openmp:0`, `n`.
struct Names {
  std::string from, to, axis;
};

// What was found, in one or two sentences; then what was left open, a line each.
std::vector<std::string> describe(const Finding& finding, const Names& names);

// `serial:0: 21.0 ns to start, 52.1 GB/s, 262 GFLOP/s; within 10 % at 12 of 14 sizes, …`
std::string describe(const TimeModel& model, const std::string& side, const std::string& axis);

// Why the crossing is where it is: a side whose time changes between the two ends as no work
// explains; else what the side that loses below pays there, and what it saves above. Says so where
// the models do not fit near the crossing, do not cross there, or their costs cannot be told apart.
// Empty for a finding without a crossing.
std::string explain(const Finding& finding, const Names& names,
                    const std::vector<Observation>& from, const std::vector<Observation>& to);

}  // namespace breakeven
