// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "reports/schema/severity.hpp"
#include "reports/statistics/order_statistics.hpp"
#include "reports/text/quantity.hpp"
#include "reports/text/usage.hpp"

namespace breakeven::comparison {
namespace {

constexpr std::size_t fewest_rounds = 3;       // for a verdict
constexpr std::size_t permutation_rounds = 8;  // before, it cannot say much

bool is_fault(const std::optional<Status>& status) {
  return status && breakeven::is_fault(*status);
}

const Measurement* find(const Group& group, std::size_t case_index) {
  const auto found = group.cases.find(case_index);
  return found == group.cases.end() ? nullptr : &found->second;
}

std::string state(const Group& group, const Measurement* measurement) {
  if (measurement == nullptr) {
    return "no row in " + group.label;
  }
  auto text = fmt::format("{} in {}", name(*measurement->worst), group.label);
  return measurement->reason.empty() ? text : text + ": " + measurement->reason;
}

std::size_t base_index(const Grouped& grouped, const std::string& base) {
  if (base.empty()) {  // the first one with which there is something to compare
    const auto measured =
        std::find_if(grouped.groups.begin(), grouped.groups.end(), [](const Group& group) {
          return std::any_of(group.cases.begin(), group.cases.end(),
                             [](const auto& each) { return !each.second.round_medians.empty(); });
        });
    return measured == grouped.groups.end()
               ? 0
               : static_cast<std::size_t>(measured - grouped.groups.begin());
  }
  std::string labels;
  for (std::size_t i = 0; i < grouped.groups.size(); ++i) {
    const auto& label = grouped.groups[i].label;
    if (label == base) {
      return i;
    }
    labels += (i == 0 ? "" : ", ") + label;
  }
  throw UsageError("--base " + base + ": there is no such group; there are: " + labels);
}

void require_subjects(const std::set<std::string>& expected) {
  for (const auto& subject_name : expected) {
    std::string names;
    bool known = false;
    for (const auto& subject : subjects()) {
      known = known || subject.name == subject_name;
      names += names.empty() ? "" : ", ";
      names += subject.name;
    }
    if (!known) {
      throw UsageError("--expect " + subject_name + ": unknown; allowed are " + names);
    }
  }
}

bool has_one_name(const Group& base, const Group& other) {
  return base.machines.size() == 1 && base.machines == other.machines;
}

std::set<std::string> machine_ids(const Grouped& grouped, const Group& group) {
  std::set<std::string> ids;
  for (const auto& [backend, contexts] : group.contexts) {
    for (const auto context : contexts) {
      ids.insert(grouped.contexts.machine_id(context));
    }
  }
  ids.erase("");
  return ids;
}

std::optional<double> share_of(const Measurement* measurement) {
  return measurement != nullptr && !measurement->ceiling_shares.empty()
             ? std::optional(median(measurement->ceiling_shares))
             : std::nullopt;
}

// What can be said before any statistics. `judged`: the verdict is still open.
void settle(CaseComparison& result, const Grouped& grouped, const Group& base, const Group& other,
            const ComparisonOptions& options, bool judged, bool namesake) {
  const auto* a = find(base, result.case_index);
  const auto* b = find(other, result.case_index);
  for (const auto& [group, side] : {std::pair{&base, a}, {&other, b}}) {
    if (side != nullptr && is_fault(side->worst)) {
      result.verdict = Verdict::invalid;
      result.why = state(*group, side);
      result.ratio.reset();  // what is wrong has no time and cannot rank
      result.paired.reset();
      result.effect.reset();
      return;
    }
  }
  for (const auto& [group, side, summary] :
       {std::tuple{&base, a, &result.base}, {&other, b, &result.other}}) {
    if (!*summary) {
      result.verdict = Verdict::missing;
      result.why = state(*group, side);
      return;
    }
  }
  if (!judged) {
    result.verdict = Verdict::described;
    return;
  }
  if (namesake && !options.expected.contains("machine")) {
    result.verdict = Verdict::not_comparable;
    result.why = "another machine of the same name; if it is meant: --expect machine";
    return;
  }
  if (grouped.by_variant) {
    result.verdict = Verdict::inconclusive;
    if (!result.effect) {
      result.why = "needs --rounds 5";
    }
    return;
  }
  auto contexts = a->contexts;
  contexts.insert(b->contexts.begin(), b->contexts.end());
  std::string differing, words;
  if (contexts.size() > 1) {
    for (const auto subject : grouped.contexts.blocking(contexts, options.expected)) {
      differing += differing.empty() ? "" : ",";
      differing += subject;
      words += words.empty() ? "" : ", ";
      words += subject;
    }
  }
  if (!differing.empty()) {
    result.verdict = Verdict::not_comparable;
    result.why = fmt::format("differs in {}; if that is meant: --expect {}", words, differing);
    return;
  }
  result.verdict = Verdict::inconclusive;
  if (std::min(result.base->rounds, result.other->rounds) < fewest_rounds) {
    result.why = "needs --rounds 5";
  }
}

void judge(CaseComparison& result, const ComparisonOptions& options) {
  const auto& effect = *result.effect;
  if (effect.low >= 1 / (1 + options.margin) && effect.high <= 1 + options.margin) {
    result.verdict = Verdict::equivalent;
    result.why = fmt::format("within ±{:.3g} %", options.margin * 100);
  } else if (*result.adjusted_p <= options.false_discovery_rate) {
    result.verdict = effect.ratio > 1 ? Verdict::regressed : Verdict::improved;
    result.why = fmt::format("time {:+.1f} %", (effect.ratio - 1) * 100);
    if (result.permutation_p && *result.permutation_p > options.false_discovery_rate) {
      result.why +=
          fmt::format("; the permutation test disagrees, p = {:.2g}", *result.permutation_p);
    }
  } else {
    result.verdict = Verdict::inconclusive;
    const double smallest = *result.smallest_ratio;
    result.why =
        fmt::format("a change {} would have been seen",
                    smallest < 2 ? "of " + share_text(smallest - 1) : "by " + times_text(smallest));
  }
}

bool has_rounds(const CaseComparison& result) {
  return result.verdict == Verdict::inconclusive && result.why.empty();
}

void judge_all(std::vector<CaseComparison>& cases, const Grouped& grouped, std::size_t base,
               const ComparisonOptions& options) {
  std::vector<CaseComparison*> family;
  std::vector<double> p_values;
  for (auto& result : cases) {
    if (has_rounds(result)) {
      family.push_back(&result);
      p_values.push_back(result.effect->p_value);
    }
  }
  const auto adjusted = benjamini_hochberg(p_values);
  const auto found =
      static_cast<double>(std::count_if(adjusted.begin(), adjusted.end(), [&](double p) {
        return p <= options.false_discovery_rate;
      }));
  // What one more finding would have to undercut.
  const double significance =
      options.false_discovery_rate *
      std::min(1.0, (found + 1) / static_cast<double>(std::max<std::size_t>(1, family.size())));
  for (std::size_t i = 0; i < family.size(); ++i) {
    auto& result = *family[i];
    result.adjusted_p = adjusted[i];
    result.smallest_ratio = smallest_ratio(*result.effect, significance);
    if (!grouped.by_variant &&
        std::min(result.base->rounds, result.other->rounds) >= permutation_rounds) {
      result.permutation_p =
          permutation_p_value(find(grouped.groups[base], result.case_index)->round_medians,
                              find(grouped.groups[result.group], result.case_index)->round_medians);
    }
    judge(result, options);
  }
}

std::vector<GeometricMean> geometric_means(const std::vector<CaseComparison>& cases,
                                           std::size_t groups, std::size_t base) {
  std::vector<GeometricMean> means;
  for (std::size_t group = 0; group < groups; ++group) {
    std::vector<double> ratios;
    for (const auto& result : cases) {
      if (result.group == group && result.ratio && result.verdict != Verdict::not_comparable) {
        ratios.push_back(*result.ratio);
      }
    }
    if (group != base && !ratios.empty()) {
      means.push_back({group, geometric_mean(ratios), ratios.size()});
    }
  }
  return means;
}

CaseComparison compare_case(const Grouped& grouped, const Group& base, std::size_t group,
                            std::size_t case_index) {
  const auto& other = grouped.groups[group];
  CaseComparison result;
  result.case_index = case_index;
  result.group = group;
  const auto* a = find(base, case_index);
  const auto* b = find(other, case_index);
  result.base = a == nullptr ? std::nullopt : summary(*a);
  result.other = b == nullptr ? std::nullopt : summary(*b);
  result.base_share = share_of(a);
  result.other_share = share_of(b);
  std::int64_t visits = 0, disturbed = 0;
  for (const auto* side : {a, b}) {
    visits += side == nullptr ? 0 : side->visits;
    disturbed += side == nullptr ? 0 : side->disturbed_visits;
  }
  if (visits > 0) {
    result.disturbed_share = static_cast<double>(disturbed) / static_cast<double>(visits);
  }
  if (result.base && result.other) {
    result.ratio = result.other->median / result.base->median;
    result.effect = welch_log_ratio(a->round_medians, b->round_medians);
    if (result.effect) {
      result.ratio = result.effect->ratio;
    }
    const auto pairs = paired_ratios(a->visits_of_rounds, b->visits_of_rounds);
    result.paired = paired_ratio(pairs);
    if (result.paired) {
      result.ratio = result.paired->ratio;
    }
    if (const auto effect = paired_effect(pairs); effect && grouped.by_variant) {
      result.effect = effect;
    }
  }
  return result;
}

bool is_measured(const Measurement* side) {
  return side != nullptr && (!side->round_medians.empty() || is_fault(side->worst));
}

}  // namespace

Comparison compare(const Grouped& grouped, const ComparisonOptions& options) {
  if (grouped.groups.size() < 2) {
    throw UsageError("there is only one of what --group-by says: nothing to compare with");
  }
  require_subjects(options.expected);
  Comparison comparison;
  comparison.base = base_index(grouped, options.base);
  const auto& base = grouped.groups[comparison.base];
  std::vector<UsedContexts> contexts;
  for (const auto& group : grouped.groups) {
    const auto ids = machine_ids(grouped, base), other_ids = machine_ids(grouped, group);
    const bool has_ids = ids.size() == 1 && other_ids.size() == 1;
    const bool one_name = has_one_name(base, group), one_id = has_ids && ids == other_ids;
    comparison.is_judged.push_back(!grouped.by_key && (one_name || one_id));
    comparison.is_namesake.push_back(one_name && has_ids && !one_id);
    contexts.push_back(group.contexts);
  }
  if (!grouped.by_key) {
    comparison.differences = differences(grouped.contexts, contexts);
  }
  for (std::size_t case_index = 0; case_index < grouped.cases.size(); ++case_index) {
    for (std::size_t group = 0; group < grouped.groups.size(); ++group) {
      if (group == comparison.base) {
        continue;
      }
      const auto& other = grouped.groups[group];
      if (!is_measured(find(base, case_index)) && !is_measured(find(other, case_index))) {
        ++comparison.not_measured;
        continue;
      }
      auto result = compare_case(grouped, base, group, case_index);
      settle(result, grouped, base, other, options, comparison.is_judged[group],
             comparison.is_namesake[group]);
      comparison.cases.push_back(std::move(result));
    }
  }
  judge_all(comparison.cases, grouped, comparison.base, options);
  comparison.means = geometric_means(comparison.cases, grouped.groups.size(), comparison.base);
  return comparison;
}

int exit_status(const Comparison& comparison, bool strict) {
  bool regressed = false, unjudged = false, inconclusive = false;
  for (const auto& result : comparison.cases) {
    if (!comparison.is_judged[result.group]) {
      continue;
    }
    regressed = regressed || result.verdict == Verdict::regressed;
    inconclusive = inconclusive || result.verdict == Verdict::inconclusive;
    unjudged = unjudged || result.verdict == Verdict::not_comparable ||
               result.verdict == Verdict::missing || result.verdict == Verdict::invalid;
  }
  return regressed ? 1 : unjudged ? 3 : strict && inconclusive ? 4 : 0;
}

}  // namespace breakeven::comparison
