// SPDX-License-Identifier: Apache-2.0
#include "reports/fleet/judgement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "reports/fleet/node_judge.hpp"
#include "reports/fleet/node_names.hpp"
#include "reports/fleet/reasons.hpp"
#include "reports/schema/severity.hpp"
#include "reports/statistics/order_statistics.hpp"
#include "reports/statistics/spread.hpp"

namespace breakeven::fleet {
namespace {

constexpr double normal_quantile_of_power = 0.8416212335729143;  // of 0.8

// Faults where others have none of it, devices and memory that others have, rows that others have.
void judge_rows(const Fleet& fleet, Group& group, std::map<std::size_t, Verdict>& verdicts) {
  const auto n = group.nodes.size();
  for (std::size_t index = 0; index < fleet.cases.size(); ++index) {
    std::size_t with_time = 0, with_fault = 0;
    for (const auto node : group.nodes) {
      const auto& cell = fleet.cell(node, index);
      with_time += cell.has_time() ? 1 : 0;
      with_fault += is_fault(cell.worst) ? 1 : 0;
    }
    const bool is_of_case = n > 1 && 2 * with_fault >= n;
    if (is_of_case) {
      group.remarks.push_back(
          fmt::format("{} is at fault on {} of {} nodes: look at the case, not "
                      "at the nodes",
                      fleet.name(index), with_fault, n));
    }
    for (const auto node : group.nodes) {
      const auto& cell = fleet.cell(node, index);
      const bool most_have_it = 2 * (with_time - (cell.has_time() ? 1 : 0)) >= n && n > 1;
      const bool lost =
          (cell.worst == Status::unavailable || cell.worst == Status::out_of_memory) &&
          most_have_it;
      if ((is_fault(cell.worst) && !is_of_case) || lost) {
        verdicts[node].faults.push_back({index, cell.worst, cell.reason});
      } else if (!cell.has_time() && !is_fault(cell.worst) && most_have_it) {
        ++verdicts[node].missing;
      }
    }
  }
}

Sensitivity sensitivity_of(const Fleet& fleet, const Normal& normal, const Options& options) {
  Bars bars(normal, fleet.collection.nodes.size());
  const auto seen = [&](double bar, double spread, std::size_t n) {
    return std::max(1 + options.margin,
                    std::exp((bar + normal_quantile_of_power) * spread_for(normal, spread, n)));
  };
  std::vector<double> cases;
  for (const auto& [index, entry] : normal.cases) {
    cases.push_back(seen(bars.one_case(entry.freedom), entry.spread, entry.nodes));
  }
  std::sort(cases.begin(), cases.end());
  return {seen(bars.everywhere(), normal.spread, normal.nodes), quantile_sorted(cases, 0.5),
          quantile_sorted(cases, 0.9)};
}

// Nodes side by side in the order of their names, all of them slow: more than chance puts there.
void note_neighbours(const Fleet& fleet, Group& group) {
  std::vector<bool> slow(group.nodes.size(), false);
  std::size_t number = 0;
  for (const auto& verdict : group.verdicts) {
    const auto at = std::find(group.nodes.begin(), group.nodes.end(), verdict.node);
    slow[static_cast<std::size_t>(at - group.nodes.begin())] = !verdict.slow.empty();
    number += verdict.slow.empty() ? 0 : 1;
  }
  const auto n = static_cast<double>(group.nodes.size());
  const double share = static_cast<double>(number) / n;
  for (std::size_t begin = 0; begin < slow.size();) {
    auto end = begin;
    std::vector<std::string> names;
    std::vector<double> ratios;
    for (; end < slow.size() && slow[end]; ++end) {
      names.push_back(fleet.collection.nodes[group.nodes[end]].name);
      ratios.push_back(group.ratios[end]);
    }
    constexpr double seldom = 0.01;
    if (names.size() >= 3 && n * std::pow(share, names.size()) < seldom) {
      group.remarks.push_back(fmt::format(
          "{} are neighbours and slow together (×{:.3f}): look for what they share, such as "
          "a rack, a switch, power or cooling",
          folded(names), median(ratios)));
    }
    begin = end + 1;
  }
}

void finish(const Fleet& fleet, Group& group, std::map<std::size_t, Verdict>& verdicts) {
  std::erase_if(verdicts, [](const auto& entry) {
    const auto& verdict = entry.second;
    return !verdict.is_out() && verdict.suspect.empty() && verdict.missing == 0;
  });
  for (auto& [node, verdict] : verdicts) {
    verdict.node = node;
    group.verdicts.push_back(std::move(verdict));
  }
  // What is wrong before what is slow, the slowest first.
  const auto worst = [](const Verdict& verdict) {
    double ratio = 0;
    for (const auto& entry : verdict.slow) {
      ratio = std::max(ratio, entry.ratio);
    }
    return std::tuple(!verdict.is_out(), verdict.faults.empty(), -ratio, verdict.node);
  };
  std::sort(group.verdicts.begin(), group.verdicts.end(),
            [&](const Verdict& a, const Verdict& b) { return worst(a) < worst(b); });
  note_neighbours(fleet, group);
}

void count(const Fleet& fleet, Group& group) {
  std::vector<double> rounds;
  for (std::size_t index = 0; index < fleet.cases.size(); ++index) {
    bool has_time = false;
    for (const auto node : group.nodes) {
      const auto& cell = fleet.cell(node, index);
      if (cell.has_time()) {
        has_time = true;
        rounds.push_back(cell.rounds);
      }
    }
    group.cases += has_time ? 1 : 0;
  }
  group.rounds = static_cast<std::size_t>(median_or_0(rounds));
}

Group judged(const Fleet& fleet, Group group, const Options& options, const Polish* polish,
             const std::vector<Normal>& baseline) {
  count(fleet, group);
  std::map<std::size_t, Verdict> verdicts;
  judge_rows(fleet, group, verdicts);
  const auto& first = fleet.collection.nodes[group.nodes[0]];
  const auto known = std::find_if(baseline.begin(), baseline.end(), [&](const Normal& entry) {
    return entry.hardware == first.hardware && entry.devices == first.devices;
  });
  group.by_baseline = known != baseline.end();
  group.is_unlike_baseline = !group.by_baseline && !baseline.empty();
  group.is_judged =
      group.by_baseline || (baseline.empty() && group.nodes.size() >= options.fewest_nodes);
  std::optional<Polish> own;
  if (polish == nullptr) {
    polish = &own.emplace(fleet, group.nodes);
  }
  if (!group.is_judged) {
    for (const double off : polish->of_nodes()) {
      group.ratios.push_back(std::exp(off));
    }
    finish(fleet, group, verdicts);
    return group;
  }
  group.normal = group.by_baseline ? *known : normal_of(fleet, group.nodes, *polish, options);
  auto& normal = *group.normal;
  if (normal.cases.empty()) {
    group.is_judged = false;
    group.remarks.emplace_back("no case has a time on enough nodes");
  }
  // Shared out over the whole fleet: more groups are no more chances of a false alarm.
  Bars bars(normal, fleet.collection.nodes.size());
  for (const auto node : group.nodes) {
    Verdict verdict;
    group.ratios.push_back(judge_node(fleet, normal, options, node, bars, verdict));
    if (!verdict.slow.empty() || !verdict.suspect.empty()) {
      auto& kept = verdicts[node];
      kept.slow = std::move(verdict.slow);
      kept.suspect = std::move(verdict.suspect);
      kept.kinds = std::move(verdict.kinds);
    }
  }
  if (group.is_judged) {
    group.sensitivity = sensitivity_of(fleet, normal, options);
  }
  finish(fleet, group, verdicts);
  if (!group.by_baseline) {
    learn_habits(fleet, group);
  }
  explain(fleet, group);
  return group;
}

// By hardware; a few nodes that lack a device of a large group belong to it: they lost it.
std::vector<Group> equal_nodes(const Fleet& fleet, const Options& options) {
  std::map<std::pair<std::string, std::set<std::string>>, std::vector<std::size_t>> equal;
  const auto& nodes = fleet.collection.nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    equal[{nodes[i].hardware, nodes[i].devices}].push_back(i);
  }
  for (auto& [key, members] : equal) {
    if (members.size() >= options.fewest_nodes) {
      continue;
    }
    for (auto& [other, others] : equal) {
      const bool has_more = other.second.size() > key.second.size() &&
                            std::includes(other.second.begin(), other.second.end(),
                                          key.second.begin(), key.second.end());
      if (other.first == key.first && has_more && others.size() >= options.fewest_nodes) {
        others.insert(others.end(), members.begin(), members.end());
        std::sort(others.begin(), others.end());
        members.clear();
        break;
      }
    }
  }
  std::vector<Group> groups;
  for (auto& [key, members] : equal) {
    if (!members.empty()) {
      Group group;
      group.nodes = std::move(members);
      group.hardware = hardware_text(fleet, group.nodes);
      groups.push_back(std::move(group));
    }
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.nodes.size() > b.nodes.size(); });
  return groups;
}

// Some slow nodes are outliers; a quarter and more are another population.
std::optional<double> border_of(const Polish& polish, const Options& options) {
  constexpr double far = 5;
  const auto& all = polish.of_nodes();  // their median is 0
  const double reach = far * std::sqrt(biweight_variance(all));
  auto values = all;
  std::erase_if(values, [&](double value) { return std::abs(value) > reach; });
  const auto heaps = two_heaps(4 * (all.size() - values.size()) < all.size() ? values : all);
  return heaps && heaps->high - heaps->low >= std::log1p(options.margin)
             ? std::optional(heaps->border)
             : std::nullopt;
}

std::string label_of(std::size_t index) {
  std::string label;
  for (++index; index > 0; index = (index - 1) / 26) {
    label.insert(label.begin(), static_cast<char>('A' + (index - 1) % 26));
  }
  return label;
}

}  // namespace

std::vector<std::size_t> Fleet::cases_with_time() const {
  std::vector<std::size_t> found;
  for (std::size_t index = 0; index < cases.size(); ++index) {
    for (std::size_t node = 0; node < cells.size(); ++node) {
      if (cell(node, index).has_time()) {
        found.push_back(index);
        break;
      }
    }
  }
  return found;
}

std::vector<std::string> Judgement::nodes_out(const Fleet& fleet) const {
  std::vector<std::string> names;
  for (const auto& group : groups) {
    for (const auto& verdict : group.verdicts) {
      if (verdict.is_out()) {
        names.push_back(fleet.collection.nodes[verdict.node].name);
      }
    }
  }
  std::sort(names.begin(), names.end(), comes_before);
  return names;
}

Judgement judge(const Fleet& fleet, const Options& options, const std::vector<Normal>& baseline) {
  Judgement judgement;
  judgement.cases = fleet.cases_with_time().size();
  std::size_t label = 0;
  for (auto& group : equal_nodes(fleet, options)) {
    group.label = label_of(label++);
    const bool may_be_two = baseline.empty() && group.nodes.size() >= options.fewest_nodes;
    const std::optional<Polish> polish =
        may_be_two ? std::make_optional<Polish>(fleet, group.nodes) : std::nullopt;
    const auto border = polish ? border_of(*polish, options) : std::nullopt;
    if (!border) {
      judgement.groups.push_back(
          judged(fleet, std::move(group), options, polish ? &*polish : nullptr, baseline));
      continue;
    }
    Group fast = group, slow = group;
    fast.label += "1";
    slow.label += "2";
    fast.nodes.clear();
    slow.nodes.clear();
    std::vector<double> fast_ones, slow_ones;
    for (std::size_t i = 0; i < group.nodes.size(); ++i) {
      const double off = polish->of_nodes()[i];
      (off < *border ? fast : slow).nodes.push_back(group.nodes[i]);
      (off < *border ? fast_ones : slow_ones).push_back(off);
    }
    Split split;
    split.ratio = std::exp(median(slow_ones) - median(fast_ones));
    split.differences = what_parts(fleet, fast.nodes, slow.nodes);
    split.faster = judgement.groups.size();
    split.slower = split.faster + 1;
    judgement.groups.push_back(judged(fleet, std::move(fast), options, nullptr, baseline));
    judgement.groups.push_back(judged(fleet, std::move(slow), options, nullptr, baseline));
    judgement.splits.push_back(std::move(split));
  }
  const auto& base = judgement.groups.front();
  for (std::size_t i = 1; i < judgement.groups.size(); ++i) {
    auto& group = judgement.groups[i];
    const auto& nodes = fleet.collection.nodes;
    const auto &one = nodes[base.nodes[0]], &another = nodes[group.nodes[0]];
    const bool is_half_of_one = one.hardware == another.hardware && one.devices == another.devices;
    if (auto text = is_half_of_one ? std::string() : beside(fleet, base, group); !text.empty()) {
      group.remarks.push_back(std::move(text));
    }
  }
  return judgement;
}

}  // namespace breakeven::fleet
