// SPDX-License-Identifier: Apache-2.0
// What a ceiling is in one pass. A case is stated by the median of its samples, so its ceiling is a
// median of short windows too: the best of several windows stands 2 % above what the same loop
// sustains, and no case could reach it. Windows in which other work had the processor do not count.
#pragma once

#include <algorithm>
#include <vector>

#include "reports/statistics/order_statistics.hpp"

namespace breakeven {

// The median of the rates within a tenth of the best one. Needs one at least.
inline double typical_of(std::vector<double> rates) {
  constexpr double undisturbed = 0.9;
  const double best = *std::max_element(rates.begin(), rates.end());
  std::erase_if(rates, [&](double rate) { return rate < undisturbed * best; });
  return median(rates);
}

}  // namespace breakeven
