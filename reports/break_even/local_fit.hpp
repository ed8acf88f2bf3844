// SPDX-License-Identifier: Apache-2.0
// A straight line through the log ratios near a bracket, over ln n: where it crosses zero. A
// convenience beside the bracket, not a claim of its own: ripple between tile sizes fools it.
#pragma once

#include <optional>

#include "reports/break_even/finding.hpp"

namespace breakeven {

struct LocalFit {
  double size = 0;           // where both sides take as long
  double low = 0, high = 0;  // 95 %
  double slope = 0;          // of ln(t_to / t_from) over ln n
  std::size_t points = 0;
};

// Of a bracket with at least four measured sizes between half its low end and twice its high one,
// where the slope differs from zero; the interval is Fieller's (Fieller 1954, Some problems in
// interval estimation).
std::optional<LocalFit> local_fit(const Finding& finding);

}  // namespace breakeven
