// SPDX-License-Identifier: Apache-2.0
#include "reports/fleet/judgement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "reports/fleet/node_names.hpp"
#include "reports/fleet/reasons.hpp"
#include "reports/statistics/order_statistics.hpp"
#include "reports/statistics/spread.hpp"

namespace breakeven::fleet {
namespace {

// Of all fleets without a slow node, so many name one: shared out over the three extents, and
// within each over all that is tested (Bonferroni).
constexpr double alarms_everywhere = 0.008, alarms_of_kinds = 0.004, alarms_of_cases = 0.007;
constexpr double normal_quantile_of_power = 0.8416212335729143;  // of 0.8
constexpr double error_of_median = 1.57;    // variance of a median over that of a mean: pi / 2
constexpr std::size_t cases_of_a_kind = 3;  // fewer are judged one by one
constexpr auto no_time = std::numeric_limits<double>::quiet_NaN();

double median_or_0(const std::vector<double>& values) {
  return values.empty() ? 0 : median(values);
}

// Logarithms of the times of some nodes, by node, then case. What is left of a time is what is not
// said by its case and its node (Tukey's median polish).
class Polish {
 public:
  Polish(const Fleet& fleet, const std::vector<std::size_t>& nodes)
      : cases_(fleet.cases.size()), of_node_(nodes.size()), of_case_(cases_, no_time) {
    left_.reserve(nodes.size() * cases_);
    for (const auto node : nodes) {
      for (std::size_t index = 0; index < cases_; ++index) {
        left_.push_back(static_cast<double>(fleet.cell(node, index).log_time));
      }
    }
    constexpr int passes = 3;
    for (int pass = 0; pass < passes; ++pass) {
      take_out_cases();
      take_out_nodes();
    }
  }

  double location(std::size_t index) const { return of_case_[index]; }
  const std::vector<double>& of_nodes() const { return of_node_; }
  // Of the nodes that have a time.
  std::vector<double> left(std::size_t index) const {
    std::vector<double> values;
    for (std::size_t node = 0; node < of_node_.size(); ++node) {
      if (const double value = left_[node * cases_ + index]; !std::isnan(value)) {
        values.push_back(value);
      }
    }
    return values;
  }
  double left(std::size_t node, std::size_t index) const { return left_[node * cases_ + index]; }

 private:
  void take_out_cases() {
    for (std::size_t index = 0; index < cases_; ++index) {
      auto values = left(index);
      if (values.empty()) {
        continue;
      }
      const double middle = median(values);
      of_case_[index] = std::isnan(of_case_[index]) ? middle : of_case_[index] + middle;
      for (std::size_t node = 0; node < of_node_.size(); ++node) {
        left_[node * cases_ + index] -= middle;
      }
    }
  }

  void take_out_nodes() {
    std::vector<double> values;
    for (std::size_t node = 0; node < of_node_.size(); ++node) {
      values.clear();
      for (std::size_t index = 0; index < cases_; ++index) {
        if (const double value = left(node, index); !std::isnan(value)) {
          values.push_back(value);
        }
      }
      const double middle = median_or_0(values);
      of_node_[node] += middle;
      for (std::size_t index = 0; index < cases_; ++index) {
        left_[node * cases_ + index] -= middle;
      }
    }
    const double centre = median(of_node_);
    for (auto& value : of_node_) {
      value -= centre;
    }
    for (auto& value : of_case_) {
      value += centre;
    }
  }

  std::size_t cases_;
  std::vector<double> left_, of_node_, of_case_;
};

double floor_of(const Options& options) {
  return options.margin / 4;  // equal nodes that agree better than this are not told apart by it
}

double spread_of(const std::vector<double>& values, const Options& options) {
  return std::max(std::sqrt(biweight_variance(values)), floor_of(options));
}

std::vector<std::vector<std::size_t>> cases_by_kind(const Fleet& fleet, const Normal& normal) {
  std::vector<std::vector<std::size_t>> kinds(fleet.kinds.size());
  for (const auto& [index, entry] : normal.cases) {
    kinds[fleet.cases[index].kind].push_back(index);
  }
  return kinds;
}

Normal normal_of(const Fleet& fleet, const std::vector<std::size_t>& nodes, const Polish& polish,
                 const Options& options) {
  Normal normal;
  normal.hardware = fleet.collection.nodes[nodes[0]].hardware;
  normal.devices = fleet.collection.nodes[nodes[0]].devices;
  normal.nodes = nodes.size();
  normal.spread = spread_of(polish.of_nodes(), options);
  std::vector<std::size_t> judged;
  std::vector<double> variances, freedoms;
  for (std::size_t index = 0; index < fleet.cases.size(); ++index) {
    const auto left = polish.left(index);
    if (left.size() < options.fewest_nodes) {
      continue;
    }
    NormalCase entry;
    entry.nodes = left.size();
    entry.location = polish.location(index);
    std::vector<double> within, ceilings;
    for (const auto node : nodes) {
      const auto& cell = fleet.cell(node, index);
      if (cell.rounds > 1) {
        within.push_back(static_cast<double>(cell.variance));
      }
      if (cell.ceiling > 0) {
        ceilings.push_back(static_cast<double>(cell.ceiling));
      }
    }
    entry.variance = median_or_0(within);
    entry.ceiling = median_or_0(ceilings);
    variances.push_back(biweight_variance(left));
    freedoms.push_back(biweight_freedom(left.size()));
    judged.push_back(index);
    normal.cases.emplace(index, entry);
  }
  const auto prior = prior_variance(variances, freedoms);
  std::vector<double> spreads;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    auto& entry = normal.cases.at(judged[i]);
    entry.spread =
        std::max(std::sqrt(prior.moderated(variances[i], freedoms[i])), floor_of(options));
    entry.freedom = freedoms[i] + prior.freedom;
    spreads.push_back(entry.spread);
  }
  normal.spread_of_cases = median_or_0(spreads);
  const auto kinds = cases_by_kind(fleet, normal);
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    if (kinds[kind].size() < cases_of_a_kind || kinds[kind].size() == normal.cases.size()) {
      continue;
    }
    std::vector<double> middles, values;
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      values.clear();
      for (const auto index : kinds[kind]) {
        if (const double value = polish.left(node, index); !std::isnan(value)) {
          values.push_back(value);
        }
      }
      if (values.size() >= cases_of_a_kind) {
        middles.push_back(median(values));
      }
    }
    if (middles.size() >= options.fewest_nodes) {
      normal.kinds.emplace(kind, spread_of(middles, options));
    }
  }
  return normal;
}

// What has to be exceeded so that all that is tested raises an alarm this seldom.
class Bars {
 public:
  Bars(const Normal& normal, std::size_t nodes)
      : normal_(normal),
        freedom_(biweight_freedom(normal.nodes)),
        nodes_(static_cast<double>(nodes)) {}

  // The largest of n values, over the biweight spread of all n, scatters less than Student's t has
  // it: the freedom that fits its 99 % point was simulated for 8 to 32 nodes.
  double everywhere() const {
    const auto n = static_cast<double>(normal_.nodes);
    const double freedom = normal_.is_of_others ? freedom_ : std::max(freedom_, 2.7 * (n - 6.5));
    return t_exceeded_with(alarms_everywhere / nodes_, freedom);
  }
  double kind() const {
    const auto kinds = static_cast<double>(std::max<std::size_t>(1, normal_.kinds.size()));
    return t_exceeded_with(alarms_of_kinds / nodes_ / kinds, freedom_);
  }
  double one_case(double freedom) {
    auto& bar = of_cases_[freedom];
    if (bar == 0) {
      const auto cases = static_cast<double>(normal_.cases.size());
      bar = t_exceeded_with(alarms_of_cases / nodes_ / cases, freedom);
    }
    return bar;
  }

 private:
  const Normal& normal_;
  double freedom_, nodes_;
  std::map<double, double> of_cases_;
};

// Of a node that is none of those that the spread is of: their median has an error of its own. (Of
// one of them, Student's t is already more than enough: simulated for 8 to 512 nodes.)
double spread_for(const Normal& normal, double spread, std::size_t nodes) {
  return normal.is_of_others ? spread * std::sqrt(1 + error_of_median / static_cast<double>(nodes))
                             : spread;
}

// One node against what is normal.
class NodeJudge {
 public:
  NodeJudge(const Fleet& fleet, const Normal& normal, const Options& options, std::size_t node)
      : fleet_(fleet), normal_(normal), options_(options), node_(node) {
    std::vector<double> all;
    for (const auto& [index, entry] : normal.cases) {
      const auto& cell = fleet.cell(node, index);
      if (cell.has_time()) {
        const double off = static_cast<double>(cell.log_time) - entry.location;
        all.push_back(off);
        off_.emplace_back(index, off);
      }
    }
    everywhere_ = median_or_0(all);
    for (auto& value : all) {
      value -= everywhere_;
    }
    scatter_ = all.size() < 2 ? normal.spread_of_cases : std::sqrt(biweight_variance(all));
  }

  double ratio() const { return std::exp(everywhere_); }

  void judge(Verdict& verdict, Bars& bars) const {
    if (off_.empty()) {
      return;
    }
    const bool slow_everywhere = judge_everywhere(verdict, bars);
    std::set<std::size_t> slow_kinds;
    for (const auto& [kind, spread] : normal_.kinds) {
      if (judge_kind(verdict, bars, kind, spread)) {
        slow_kinds.insert(kind);
      }
    }
    judge_cases(verdict, bars, slow_kinds);
    if (slow_everywhere || !verdict.slow.empty() || !verdict.suspect.empty()) {
      verdict.kinds = kind_ratios();
    }
  }

 private:
  // Slow, and not only beside what else the node does.
  bool is_much(double beside_itself, double off) const {
    const double margin = std::log1p(options_.margin);
    return beside_itself >= margin && off >= margin;
  }

  bool judge_everywhere(Verdict& verdict, const Bars& bars) const {
    const auto typical = static_cast<double>(normal_.cases.size());
    const auto own = static_cast<double>(off_.size());
    const double fewer = std::max(0.0, 1 / own - 1 / typical);
    const double error = std::sqrt(std::pow(spread_for(normal_, normal_.spread, normal_.nodes), 2) +
                                   error_of_median * std::pow(normal_.spread_of_cases, 2) * fewer);
    if (!is_much(everywhere_, everywhere_) || everywhere_ <= bars.everywhere() * error) {
      return false;
    }
    add(verdict, Extent::everywhere, 0, everywhere_, interval_over(own), fewest_rounds(SIZE_MAX));
    return true;
  }

  // Half of the interval of a median over cases, and of what it is compared with.
  double interval_over(double cases) const {
    return 1.96 * std::sqrt(error_of_median *
                            (std::pow(std::max(scatter_, floor_of(options_)), 2) / cases +
                             std::pow(normal_.spread, 2) / static_cast<double>(normal_.nodes)));
  }

  std::vector<double> of_kind(std::size_t kind) const {
    std::vector<double> values;
    for (const auto& [index, off] : off_) {
      if (fleet_.cases[index].kind == kind) {
        values.push_back(off);
      }
    }
    return values;
  }

  bool judge_kind(Verdict& verdict, const Bars& bars, std::size_t kind, double spread) const {
    const auto values = of_kind(kind);
    if (values.size() < cases_of_a_kind) {
      return false;
    }
    const double off = median(values), beside = off - everywhere_;
    if (!is_much(beside, off) ||
        beside <= bars.kind() * spread_for(normal_, spread, normal_.nodes)) {
      return false;
    }
    add(verdict, Extent::kind, kind, off, interval_over(static_cast<double>(values.size())),
        fewest_rounds(kind));
    return true;
  }

  void judge_cases(Verdict& verdict, Bars& bars, const std::set<std::size_t>& slow_kinds) const {
    if (normal_.cases.size() < 2) {
      return;  // one case is everywhere
    }
    std::vector<std::pair<double, std::size_t>> slow;
    std::map<std::size_t, double> offs;
    for (const auto& [index, off] : off_) {
      const auto& entry = normal_.cases.at(index);
      const double beside = off - everywhere_;
      if (!is_much(beside, off) || slow_kinds.contains(fleet_.cases[index].kind)) {
        continue;
      }
      const double error = std::sqrt(std::pow(spread_for(normal_, entry.spread, entry.nodes), 2) +
                                     restlessness(index, entry));
      if (beside > bars.one_case(entry.freedom) * error) {
        slow.emplace_back(off, index);
      }
    }
    std::sort(slow.rbegin(), slow.rend());
    for (const auto& [off, index] : slow) {
      const auto& cell = fleet_.cell(node_, index);
      const auto& entry = normal_.cases.at(index);
      const auto rounds = static_cast<double>(std::max<int>(1, cell.rounds));
      const double own = cell.rounds > 1 ? std::pow(t_exceeded_with(0.025, rounds - 1), 2) *
                                               static_cast<double>(cell.variance) / rounds
                                         : std::pow(1.96 * entry.spread, 2);
      const double of_others =
          std::pow(1.96 * entry.spread, 2) * error_of_median / static_cast<double>(entry.nodes);
      add(verdict, Extent::one_case, index, off, std::sqrt(own + of_others), cell.rounds);
    }
  }

  // A node whose rounds differ far more than those of the others knows its own time less well.
  double restlessness(std::size_t index, const NormalCase& entry) const {
    constexpr double far_more = 5;
    const auto& cell = fleet_.cell(node_, index);
    const auto variance = static_cast<double>(cell.variance);
    return variance > far_more * entry.variance && cell.rounds > 1 ? variance / cell.rounds : 0;
  }

  std::size_t fewest_rounds(std::size_t kind) const {
    std::size_t fewest = SIZE_MAX;
    for (const auto& [index, off] : off_) {
      if (kind == SIZE_MAX || fleet_.cases[index].kind == kind) {
        fewest = std::min<std::size_t>(fewest, fleet_.cell(node_, index).rounds);
      }
    }
    return fewest;
  }

  std::vector<KindRatio> kind_ratios() const {
    std::vector<KindRatio> ratios;
    for (std::size_t kind = 0; kind < fleet_.kinds.size(); ++kind) {
      if (const auto values = of_kind(kind); !values.empty()) {
        ratios.push_back({kind, std::exp(median(values)), values.size()});
      }
    }
    std::sort(ratios.begin(), ratios.end(),
              [](const KindRatio& a, const KindRatio& b) { return a.ratio > b.ratio; });
    return ratios;
  }

  void add(Verdict& verdict, Extent extent, std::size_t index, double off, double half,
           std::size_t rounds) const {
    auto& list = rounds >= options_.fewest_rounds ? verdict.slow : verdict.suspect;
    list.push_back(
        {extent, index, std::exp(off), std::exp(off - half), std::exp(off + half), rounds});
  }

  const Fleet& fleet_;
  const Normal& normal_;
  const Options& options_;
  std::size_t node_;
  std::vector<std::pair<std::size_t, double>> off_;  // case, logarithm of the ratio to the others
  double everywhere_ = 0;                            // its median
  double scatter_ = 0;                               // around it
};

bool is_fault(Status status) {
  return status == Status::wrong || status == Status::failed || status == Status::crashed ||
         status == Status::hung;
}

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

Sensitivity sensitivity_of(const Normal& normal, std::size_t nodes, const Options& options) {
  Bars bars(normal, nodes);
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
  Bars bars(normal, group.nodes.size());
  for (const auto node : group.nodes) {
    const NodeJudge judge(fleet, normal, options, node);
    group.ratios.push_back(judge.ratio());
    Verdict verdict;
    judge.judge(verdict, bars);
    if (!verdict.slow.empty() || !verdict.suspect.empty()) {
      auto& kept = verdicts[node];
      kept.slow = std::move(verdict.slow);
      kept.suspect = std::move(verdict.suspect);
      kept.kinds = std::move(verdict.kinds);
    }
  }
  if (group.is_judged) {
    group.sensitivity = sensitivity_of(normal, group.nodes.size(), options);
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
  judgement.cases = fleet.cases.size();
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
