// SPDX-License-Identifier: Apache-2.0
#include "suite/cases/overlap_share.hpp"

#include <algorithm>

#include "reports/statistics/order_statistics.hpp"

namespace breakeven {

OverlapShare overlap_share(const OverlapTimes& times) {
  const double compute = median(times.compute), copy = median(times.copy);
  const double in_order = median(times.in_order), overlapped = median(times.overlapped);
  const double possible = in_order - std::max(compute, copy);
  if (possible <= 0 || std::min(compute, copy) < 0.02 * in_order) return {{}, "nothing-to-gain"};

  std::vector<double> gained;
  for (std::size_t turn = 0; turn < times.in_order.size(); ++turn)
    gained.push_back(times.in_order[turn] - times.overlapped[turn]);
  const auto interval = median_interval(gained);
  if (!interval || interval->high - interval->low > possible / 2) return {{}, "noise"};
  return {(in_order - overlapped) / possible, ""};
}

}  // namespace breakeven
