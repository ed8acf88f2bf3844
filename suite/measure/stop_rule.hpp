// SPDX-License-Identifier: Apache-2.0
// When a case has been visited often enough.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "reports/statistics/pairs.hpp"

namespace breakeven {

enum class StopReason { precision, budget, visits };

// As in the report: `precision`, `budget`, `visits`.
std::string_view name_of(StopReason reason);

struct StopRule {
  double precision = 0.01;         // half-width of the interval, as a share of its middle
  std::size_t fewest_visits = 10;  // before the first look
  std::size_t most_visits = 500;
  double budget_ns = std::numeric_limits<double>::infinity();  // of measuring this case
  // What is this case's of the time of a run: once it is spent, the visits that an interval needs
  // are enough.
  double share_ns = std::numeric_limits<double>::infinity();
};

// Of the contenders of one match, which stop together; `spent_ns` is what all of them took. None:
// go on.
//
// Precision is asked of what users ask: alone, of the median's interval; beside others, of every
// paired ratio to the fastest. It is looked at after 10 visits, then after a third more each time
// (13, 17, 23 …), because every look is a chance to stop on luck. The budgets of all together end a
// match after any visit, the first included: such a row claims nothing but its samples.
std::optional<StopReason> stop(const StopRule& rule, std::span<const SweptVisits> match,
                               double spent_ns);
// Of one that is measured alone.
std::optional<StopReason> stop(const StopRule& rule, std::span<const double> visit_medians,
                               double spent_ns);

// How long a sweep (every case of a group visited once) lasts at least, after so many of them:
// where few cases make it shorter the parent waits, because visits close together see one moment of
// the machine. 0.3 s before the first look, so that it sees 3 s, then 0.1 s; no more than a
// visit's part of the budget or share. In simulation with a speed that remembers 0.2 s, intervals
// covered the long-run median in 93 % that way, in 78 % of visits 0.03 s apart.
double shortest_sweep_ns(const StopRule& rule, std::size_t sweeps);

}  // namespace breakeven
