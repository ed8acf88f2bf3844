// SPDX-License-Identifier: Apache-2.0
// Puts the rounds of a case together: a process is one observation of the machine, however many
// visits it made.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace breakeven {

struct MergedRounds {
  std::size_t rounds = 0;
  double median_ns = 0;            // of the rounds' medians, each that of its visits
  double low_ns = 0, high_ns = 0;  // 0: too few visits to know
  // Standard deviation of the logarithms of the rounds' medians; 0 with one round.
  double between_rounds = 0;
  std::string caution;  // not empty: what the interval cannot claim, and what to do
};

// The visits' medians of each round, all positive; rounds without visits are left out. From 3
// rounds on the interval is Student's t on the logarithms of the rounds' medians (95 %), which
// covers the next process too. Below, it spans the visit intervals of the rounds, which claims
// nothing beyond these processes, and `caution` says so; there is none where a round has fewer
// visits than an interval needs. Throws std::invalid_argument where no
// round has a visit.
MergedRounds merge_rounds(std::span<const std::vector<double>> visit_medians);

}  // namespace breakeven
