// SPDX-License-Identifier: Apache-2.0
// Who is faster at one size, from the paired log ratios of its blocks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "reports/break_even/finding.hpp"

namespace breakeven {

// Log ratios of the blocks of one stretch of time, in order.
using LogRatios = std::vector<double>;

// Neighbouring blocks resemble one another, so that a rank interval of all of them promises too
// much: how many of them make one independent observation, (1 + r) / (1 - r) where r is the
// correlation of neighbours' sides of their visit's median, over all visits. At least 1.
std::size_t dependent_blocks(std::span<const LogRatios> visits);

struct Decision {
  Faster faster = Faster::undecided;
  double median = 0, low = 0, high = 0;  // low and high infinite where too few blocks
};

// By the 99 % rank interval of the medians of every `dependent` consecutive blocks: a winner where
// it excludes 0, neither where it lies inside ±margin.
Decision decide(std::span<const LogRatios> visits, std::size_t dependent, double margin);

}  // namespace breakeven
