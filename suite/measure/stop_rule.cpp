// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/stop_rule.hpp"

#include <algorithm>

#include "reports/statistics/visit_interval.hpp"

namespace breakeven {
namespace {

constexpr double growth = 1.33;

bool is_look(std::size_t visits, std::size_t first) {
  double look = static_cast<double>(first);
  while (static_cast<std::size_t>(look) < visits) look *= growth;
  return static_cast<std::size_t>(look) == visits;
}

bool is_precise(std::span<const SweptVisits> match, double precision) {
  if (match.size() == 1) {
    const auto found = visit_interval(match.front().medians);
    return found && (found->high - found->low) / 2 <= precision * found->median;
  }
  const auto fastest = std::min_element(
      match.begin(), match.end(),
      [](const auto& a, const auto& b) { return median(a.medians) < median(b.medians); });
  return std::all_of(match.begin(), match.end(), [&](const SweptVisits& other) {
    if (&other == &*fastest) return true;
    const PairedRatios ratios = paired_ratios(*fastest, other);
    const auto found = paired_ratio(std::span(&ratios, 1));
    return found && (found->high - found->low) / 2 <= precision * found->ratio;
  });
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

std::optional<StopReason> stop(const StopRule& rule, std::span<const SweptVisits> match,
                               double spent_ns) {
  const auto by_visits = [](const SweptVisits& a, const SweptVisits& b) {
    return a.medians.size() < b.medians.size();
  };
  const std::size_t visits =
      std::min_element(match.begin(), match.end(), by_visits)->medians.size();
  const double contenders = static_cast<double>(match.size());
  if (visits == 0) return std::nullopt;
  if (visits >= rule.fewest_visits && is_look(visits, rule.fewest_visits) &&
      is_precise(match, rule.precision))
    return StopReason::precision;
  if (spent_ns >= contenders * rule.budget_ns) return StopReason::budget;
  const bool all_have_intervals = std::all_of(match.begin(), match.end(), [](const auto& one) {
    return visit_interval(one.medians).has_value();
  });
  if (spent_ns >= contenders * rule.share_ns && all_have_intervals) return StopReason::budget;
  if (visits >= rule.most_visits) return StopReason::visits;
  return std::nullopt;
}

std::optional<StopReason> stop(const StopRule& rule, std::span<const double> visit_medians,
                               double spent_ns) {
  const SweptVisits alone{visit_medians, {}};
  return stop(rule, std::span(&alone, 1), spent_ns);
}

double shortest_sweep_ns(const StopRule& rule, std::size_t sweeps) {
  const double wanted = sweeps < rule.fewest_visits ? 3e8 : 1e8;
  return std::min(
      wanted, std::min(rule.budget_ns, rule.share_ns) / static_cast<double>(rule.fewest_visits));
}

}  // namespace breakeven
