// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/ceiling_log.hpp"

#include <algorithm>

#include "reports/statistics/order_statistics.hpp"

namespace breakeven {
namespace {

constexpr std::int64_t least_time_between = 20;  // times what measuring took
constexpr std::size_t most_remembered = 4000;    // of one ceiling: most of an hour

}  // namespace

void CeilingLog::add(std::int64_t begin_ns, std::int64_t end_ns, const Ceilings& measured) {
  const std::int64_t due_ns = end_ns + least_time_between * (end_ns - begin_ns);
  if (measured.empty())
    for (History& history : histories_) history.due_ns = due_ns;
  for (const Ceiling& ceiling : measured) {
    if (!(ceiling.value > 0)) continue;  // its threads did not get the processor once
    auto known = std::find_if(histories_.begin(), histories_.end(), [&](const History& history) {
      return history.ceiling.name == ceiling.name;
    });
    if (known == histories_.end()) known = histories_.emplace(known);
    known->ceiling = ceiling;
    known->due_ns = due_ns;
    if (known->values.size() == most_remembered)
      known->values.erase(known->values.begin(), known->values.begin() + most_remembered / 2);
    known->values.push_back({ceiling.value, end_ns});
  }
}

std::optional<std::int64_t> CeilingLog::due_ns(std::string_view name) const {
  std::optional<std::int64_t> earliest;
  for (const History& history : histories_)
    if (history.ceiling.name == name)
      earliest = std::min(history.due_ns, earliest.value_or(history.due_ns));
  return earliest;
}

double CeilingLog::best(std::string_view name) const {
  double best = 0;
  for (const History& history : histories_)
    if (history.ceiling.name == name)
      for (const Value& seen : history.values) best = std::max(best, seen.value);
  return best;
}

Ceilings CeilingLog::between(std::int64_t begin_ns, std::int64_t end_ns) const {
  Ceilings result;
  for (const History& history : histories_) {
    Ceiling ceiling = history.ceiling;
    ceiling.value = history.values.front().value;
    std::vector<double> inside;
    for (const Value& seen : history.values) {
      if (seen.at_ns < begin_ns) ceiling.value = seen.value;
      if (seen.at_ns >= begin_ns && seen.at_ns <= end_ns) inside.push_back(seen.value);
    }
    if (!inside.empty()) ceiling.value = median(inside);
    result.push_back(std::move(ceiling));
  }
  return result;
}

}  // namespace breakeven
