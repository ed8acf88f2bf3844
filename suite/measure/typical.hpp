// SPDX-License-Identifier: Apache-2.0
// What a ceiling is in one pass. A case is stated by the median of its samples, so its ceiling is a
// median of short windows too: the best of several windows stands 2 % above what the same loop
// sustains, and no case could reach it. Windows in which other work had the processor do not count.
#pragma once

#include <vector>

#include "reports/statistics/order_statistics.hpp"

namespace breakeven {

// The median of the rates that are no more than a tenth below the upper quartile: one window that
// a late reading of the clock made too fast decides nothing. Needs one at least.
inline double typical_of(std::vector<double> rates) {
  constexpr double undisturbed = 0.9;
  const double good = quantile(rates, 0.75);
  std::erase_if(rates, [&](double rate) { return rate < undisturbed * good; });
  return median(rates);
}

}  // namespace breakeven
