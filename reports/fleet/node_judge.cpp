// SPDX-License-Identifier: Apache-2.0
#include "reports/fleet/node_judge.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "reports/statistics/order_statistics.hpp"
#include "reports/statistics/spread.hpp"

namespace breakeven::fleet {
namespace {

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
    const double interval = interval_over(static_cast<double>(values.size()));
    if (!is_much(beside, off) || off <= interval ||
        beside <= bars.kind() * spread_for(normal_, spread, normal_.nodes)) {
      return false;
    }
    add(verdict, Extent::kind, kind, off, interval, fewest_rounds(kind));
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

}  // namespace

double judge_node(const Fleet& fleet, const Normal& normal, const Options& options,
                  std::size_t node, Bars& bars, Verdict& verdict) {
  const NodeJudge judge(fleet, normal, options, node);
  judge.judge(verdict, bars);
  return judge.ratio();
}

}  // namespace breakeven::fleet
