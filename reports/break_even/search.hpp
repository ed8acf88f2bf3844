// SPDX-License-Identifier: Apache-2.0
// The search for the size from which the other side wins: a ×4 grid, bisection in ln n, a look
// around, and a second visit to the ends of what was found.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>

#include "reports/break_even/finding.hpp"
#include "reports/break_even/pair_source.hpp"

namespace breakeven {

// Sizes low, low + step, … high.
struct Axis {
  std::size_t low = 8, high = 8192, step = 1;
};

struct SearchSettings {
  double resolution = 1.05;  // high / low of a bracket that is narrow enough
  double margin = 0.01;      // a smaller log ratio is a tie
  double growth = 1.33;      // blocks from one look to the next
  double budget = std::numeric_limits<double>::infinity();  // seconds, of PairSource::spent
  std::size_t more_sizes = 11;                              // that may be probed beside the grid
};

// Called after every look at `current`, with the finding that the probes so far support, and once
// more when the visit is over.
using SearchWatch = std::function<void(const Finding& so_far, const Probe& current, bool over)>;

// Passes on what PairSource throws beside SizeRefused.
Finding search(PairSource& source, const Axis& axis, const SearchSettings& settings = {},
               const SearchWatch& watch = {});

}  // namespace breakeven
