// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/visit_interval.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace breakeven {
namespace {

constexpr double most_correlation = 0.9;
// What luck at the looks takes away: an interval of 0.95 is asked at 0.96.
constexpr double luck = 0.8;

// With the bias of the estimate, about -(1 + 4 r) / n, taken out: Marriott and Pope, Biometrika 41,
// 1954.
double correlation_of_neighbours(std::span<const double> values) {
  std::vector<double> deviations;
  double mean = 0;
  for (const double value : values) {
    deviations.push_back(std::log(value));
    mean += deviations.back() / static_cast<double>(values.size());
  }
  for (double& deviation : deviations) deviation -= mean;
  double squares = 0, products = 0;
  for (std::size_t i = 0; i < deviations.size(); ++i) {
    squares += deviations[i] * deviations[i];
    if (i > 0) products += deviations[i] * deviations[i - 1];
  }
  if (squares <= 0) return 0;
  const double estimate = products / squares;
  return estimate + (1 + 4 * std::max(0.0, estimate)) / static_cast<double>(values.size());
}

}  // namespace

std::optional<MedianInterval> visit_interval(std::span<const double> visit_medians, double level) {
  auto interval = median_interval(visit_medians, 1 - luck * (1 - level));
  if (!interval) return std::nullopt;
  const double r = std::clamp(correlation_of_neighbours(visit_medians), 0.0, most_correlation);
  const double factor = std::sqrt((1 + r) / (1 - r));
  const auto widened = [&](double end) {
    return interval->median * std::pow(end / interval->median, factor);
  };
  // Where few visits are far apart the power reaches times that no visit came near: nothing beyond
  // what was seen can be claimed.
  const auto [least, greatest] = std::minmax_element(visit_medians.begin(), visit_medians.end());
  interval->low = std::max(widened(interval->low), *least);
  interval->high = std::min(widened(interval->high), *greatest);
  return interval;
}

}  // namespace breakeven
