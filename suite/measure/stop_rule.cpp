// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/stop_rule.hpp"

#include <algorithm>

#include "suite/measure/visit_interval.hpp"

namespace breakeven {
namespace {

constexpr double growth = 1.33;

bool is_look(std::size_t visits, std::size_t first) {
  double look = static_cast<double>(first);
  while (static_cast<std::size_t>(look) < visits) look *= growth;
  return static_cast<std::size_t>(look) == visits;
}

}  // namespace

std::string_view name_of(StopReason reason) {
  switch (reason) {
    case StopReason::precision:
      return "precision";
    case StopReason::budget:
      return "budget";
    case StopReason::visits:
      return "visits";
  }
  return "";
}

std::optional<StopReason> stop(const StopRule& rule, std::span<const double> visit_medians,
                               double spent_ns) {
  const std::size_t visits = visit_medians.size();
  if (visits >= rule.fewest_visits && is_look(visits, rule.fewest_visits)) {
    const auto interval = visit_interval(visit_medians);
    if (interval && (interval->high - interval->low) / 2 <= rule.precision * interval->median) {
      return StopReason::precision;
    }
  }
  if (visits > 0 && spent_ns >= rule.budget_ns) return StopReason::budget;
  if (spent_ns >= rule.share_ns && visit_interval(visit_medians)) return StopReason::budget;
  if (visits >= rule.most_visits) return StopReason::visits;
  return std::nullopt;
}

double shortest_sweep_ns(const StopRule& rule, std::size_t sweeps) {
  const double wanted = sweeps < rule.fewest_visits ? 3e8 : 1e8;
  return std::min(
      wanted, std::min(rule.budget_ns, rule.share_ns) / static_cast<double>(rule.fewest_visits));
}

}  // namespace breakeven
