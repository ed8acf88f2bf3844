// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/order_statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <vector>

namespace breakeven {
namespace {

std::vector<double> sorted_copy(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

double quantile_sorted(std::span<const double> sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), sorted.size() - 1);
  const auto above = std::min(below + 1, sorted.size() - 1);
  const double share = place - static_cast<double>(below);
  return sorted[below] + share * (sorted[above] - sorted[below]);
}

double quantile(std::span<const double> values, double p) {
  return quantile_sorted(sorted_copy(values), p);
}

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

std::optional<RankInterval> median_ranks(std::size_t n, double level) {
  if (n < 2) {
    return std::nullopt;
  }
  // [x_low, x_high] with high = n - 1 - low misses the median when at most `low` values, or at
  // least n - low, lie below it.
  const boost::math::binomial_distribution<double> below(static_cast<double>(n), 0.5);
  const auto coverage = [&](std::size_t low) {
    return 1 - 2 * boost::math::cdf(below, static_cast<double>(low));
  };
  if (coverage(0) < level) {
    return std::nullopt;
  }
  std::size_t good = 0, bad = (n - 1) / 2 + 1;  // coverage falls with low
  while (bad - good > 1) {
    const auto middle = good + (bad - good) / 2;
    (coverage(middle) >= level ? good : bad) = middle;
  }
  return RankInterval{good, n - 1 - good, coverage(good)};
}

std::optional<MedianInterval> median_interval(std::span<const double> values, double level) {
  const auto ranks = median_ranks(values.size(), level);
  if (!ranks) {
    return std::nullopt;
  }
  const auto sorted = sorted_copy(values);
  return MedianInterval{quantile_sorted(sorted, 0.5), sorted[ranks->low], sorted[ranks->high]};
}

}  // namespace breakeven
