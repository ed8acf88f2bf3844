// SPDX-License-Identifier: Apache-2.0
// How much of what overlapping could gain it did gain, where that can be told from the noise.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace breakeven {

// Nanoseconds, one of each per turn.
struct OverlapTimes {
  std::vector<double> compute, copy, in_order, overlapped;
};

struct OverlapShare {
  std::optional<double> share;
  std::string unknown;  // why there is none: `nothing-to-gain` or `noise`
};

// (in_order - overlapped) / (in_order - max(compute, copy)), of the medians. None where the shorter
// of compute and copy is under 2 % of in_order, or in_order is not longer than the longer one; and
// where the 95 % interval of the gain per turn is wider than half of the possible one, or there are
// too few turns for an interval. At least one turn.
OverlapShare overlap_share(const OverlapTimes& times);

}  // namespace breakeven
