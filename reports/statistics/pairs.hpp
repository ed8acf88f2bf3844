// SPDX-License-Identifier: Apache-2.0
// Ratios of what was measured side by side: what slowed the machine slowed both.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "reports/statistics/effect.hpp"
#include "reports/statistics/order_statistics.hpp"

namespace breakeven {

// Medians of visits, with the sweep that each belonged to (ascending). Equally long.
struct SweptVisits {
  std::span<const double> medians;
  std::span<const std::size_t> sweeps;
};

// other / base of the visits that share a sweep, in order.
std::vector<double> paired_ratios(const SweptVisits& base, const SweptVisits& other);

// other / base over rounds: each round is the paired ratios of one line-up. One or two rounds: the
// median with the rank interval of visits (visit_interval), which speaks of these processes alone.
// From three rounds on: Student's t on the logarithms of the rounds' medians, which covers the next
// process too. None: too few pairs.
struct PairedRatio {
  double ratio = 1, low = 1, high = 1;
  std::size_t rounds = 0;
};
std::optional<PairedRatio> paired_ratio(std::span<const std::vector<double>> rounds,
                                        double level = 0.95);

}  // namespace breakeven
