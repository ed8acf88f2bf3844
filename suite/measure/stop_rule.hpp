// SPDX-License-Identifier: Apache-2.0
// When a case has been visited often enough.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace breakeven {

enum class StopReason { precision, budget, visits };

// As in the report: `precision`, `budget`, `visits`.
std::string_view name_of(StopReason reason);

struct StopRule {
  double precision = 0.01;         // half-width of the interval, as a share of the median
  std::size_t fewest_visits = 10;  // before the first look
  std::size_t most_visits = 500;
  double budget_ns = std::numeric_limits<double>::infinity();  // of measuring this case
};

// None: go on. The interval is looked at after 10 visits, then after a third more each time (13,
// 17, 23 …), because every look is a chance to stop on luck. The budget ends a case after any
// visit, the first included: such a row claims nothing but its samples.
std::optional<StopReason> stop(const StopRule& rule, std::span<const double> visit_medians,
                               double spent_ns);

}  // namespace breakeven
