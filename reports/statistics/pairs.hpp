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

// other / base of the visits of one round that share a sweep, in order; those of one process of
// each together.
using PairedRatios = std::vector<std::vector<double>>;
PairedRatios paired_ratios(const SweptVisits& base, const SweptVisits& other);

// other / base, over rounds. A process lies in memory as it happens to, and so its ratio is off by
// a percent or two however often it is visited; what a machine does for minutes is another percent.
// From three rounds on: Student's t on the logarithms of the rounds' ratios (each the mean of its
// processes'). Of fewer, from three processes on: the same on the processes' medians, which covers
// the next process too. Else: the median of all with the rank interval of visits (visit_interval),
// which speaks of these processes alone. None: too few pairs.
struct PairedRatio {
  double ratio = 1, low = 1, high = 1;
  std::size_t observations = 0;  // rounds or processes
};
std::optional<PairedRatio> paired_ratio(std::span<const PairedRatios> rounds, double level = 0.95);

// The same from three observations on, to be judged; none: fewer.
std::optional<Effect> paired_effect(std::span<const PairedRatios> rounds);

}  // namespace breakeven
