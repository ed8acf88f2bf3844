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

// Medians of visits, with the sweep that each belonged to and the process that took it (both
// ascending). Equally long; without processes, all are of one.
struct SweptVisits {
  std::span<const double> medians;
  std::span<const std::size_t> sweeps;
  std::span<const std::size_t> processes = {};
};

// other / base of the visits that share a sweep, in order; those of one process of each together.
using PairedRatios = std::vector<std::vector<double>>;
PairedRatios paired_ratios(const SweptVisits& base, const SweptVisits& other);

// other / base. A process lies in memory as it happens to, and so its ratio is off by a percent or
// two however often it is visited. From three processes on: Student's t on the logarithms of their
// medians, which covers the next process too. Fewer: the median of all with the rank interval of
// visits (visit_interval), which speaks of these processes alone. None: too few pairs.
struct PairedRatio {
  double ratio = 1, low = 1, high = 1;
  std::size_t processes = 0;
};
std::optional<PairedRatio> paired_ratio(std::span<const std::vector<double>> ratios,
                                        double level = 0.95);

}  // namespace breakeven
