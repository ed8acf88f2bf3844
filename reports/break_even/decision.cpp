// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/decision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "reports/statistics/order_statistics.hpp"

namespace breakeven {
namespace {

constexpr double level = 0.99;

std::vector<double> medians_of_groups(std::span<const LogRatios> visits, std::size_t group) {
  std::vector<double> medians;
  for (const LogRatios& visit : visits) {
    for (std::size_t i = 0; i + group <= visit.size(); i += group) {
      medians.push_back(median(std::span(visit).subspan(i, group)));
    }
  }
  return medians;
}

int side(double value, double middle) {
  return value > middle ? 1 : value < middle ? -1 : 0;
}

}  // namespace

std::size_t dependent_blocks(std::span<const LogRatios> visits) {
  double product = 0, pairs = 0;
  for (const LogRatios& visit : visits) {
    if (visit.size() < 4) {
      continue;
    }
    const double middle = median(visit);
    for (std::size_t i = 0; i + 1 < visit.size(); ++i) {
      product += side(visit[i], middle) * side(visit[i + 1], middle);
    }
    // Half of independent values lie on either side, so that neighbours correlate by -1/(n-1).
    product += 1;
    pairs += static_cast<double>(visit.size() - 1);
  }
  const double r = pairs > 0 ? std::clamp(product / pairs, 0.0, 0.95) : 0;
  return static_cast<std::size_t>(std::lround((1 + r) / (1 - r)));
}

Decision decide(std::span<const LogRatios> visits, std::size_t dependent, double margin) {
  const std::vector<double> units = medians_of_groups(visits, dependent);
  Decision decision;
  const auto interval = median_interval(units, level);
  if (!interval) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::vector<double> all = medians_of_groups(visits, 1);
    return {Faster::undecided, all.empty() ? 0 : median(all), -infinity, infinity};
  }
  decision.median = interval->median;
  decision.low = interval->low;
  decision.high = interval->high;
  if (interval->low > 0) {
    decision.faster = Faster::from;
  } else if (interval->high < 0) {
    decision.faster = Faster::to;
  } else if (interval->low > -margin && interval->high < margin) {
    decision.faster = Faster::neither;
  }
  return decision;
}

}  // namespace breakeven
