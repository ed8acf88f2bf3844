// SPDX-License-Identifier: Apache-2.0
// Medians, quantiles and the interval of a median that needs no assumption on the distribution.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace breakeven {

// Of what lies in `sorted` (ascending, not empty), at p in [0, 1]: linear between the neighbours,
// as R's type 7 and NumPy's default.
double quantile_sorted(std::span<const double> sorted, double p);

// These sort a copy. Not empty.
double quantile(std::span<const double> values, double p);
double median(std::span<const double> values);

// Places in the sorted sample, counted from 0, both inclusive.
struct RankInterval {
  std::size_t low = 0, high = 0;
  double coverage = 0;  // at least the level that was asked for
};

// The narrowest symmetric interval of order statistics that covers the median of the population
// with at least `level`, from the binomial distribution: Le Boudec, Performance Evaluation of
// Computer and Communication Systems, theorem 2.1. None: n is too small (below 6 for 95 %, 8 for
// 99 %).
std::optional<RankInterval> median_ranks(std::size_t n, double level = 0.95);

struct MedianInterval {
  double median = 0, low = 0, high = 0;
};

// None where median_ranks has none. The values are independent of one another: medians of visits,
// not the samples inside one.
std::optional<MedianInterval> median_interval(std::span<const double> values, double level = 0.95);

}  // namespace breakeven
