// SPDX-License-Identifier: Apache-2.0
#include "reports/fleet/normal.hpp"

#include <algorithm>
#include <cmath>

#include "reports/statistics/order_statistics.hpp"
#include "reports/statistics/spread.hpp"

namespace breakeven::fleet {
namespace {

// Of all fleets without a slow node, so many name one: shared out over the three extents, and
// within each over all that is tested (Bonferroni).
constexpr double alarms_everywhere = 0.008, alarms_of_kinds = 0.004, alarms_of_cases = 0.007;
constexpr auto no_time = std::numeric_limits<double>::quiet_NaN();

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

}  // namespace

double median_or_0(const std::vector<double>& values) {
  return values.empty() ? 0 : median(values);
}

double floor_of(const Options& options) {
  return options.margin / 4;
}

Polish::Polish(const Fleet& fleet, const std::vector<std::size_t>& nodes)
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

std::vector<double> Polish::left(std::size_t index) const {
  std::vector<double> values;
  for (std::size_t node = 0; node < of_node_.size(); ++node) {
    if (const double value = left_[node * cases_ + index]; !std::isnan(value)) {
      values.push_back(value);
    }
  }
  return values;
}

void Polish::take_out_cases() {
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

void Polish::take_out_nodes() {
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

Bars::Bars(const Normal& normal, std::size_t nodes)
    : normal_(normal),
      freedom_(biweight_freedom(normal.nodes)),
      nodes_(static_cast<double>(nodes)) {}

// The largest of n values, over the biweight spread of all n, scatters less than Student's t has
// it: the freedom that fits its 99 % point was simulated for 8 to 32 nodes.
double Bars::everywhere() const {
  const auto n = static_cast<double>(normal_.nodes);
  const double freedom = normal_.is_of_others ? freedom_ : std::max(freedom_, 2.7 * (n - 6.5));
  return t_exceeded_with(alarms_everywhere / nodes_, freedom);
}

double Bars::kind() const {
  const auto kinds = static_cast<double>(std::max<std::size_t>(1, normal_.kinds.size()));
  return t_exceeded_with(alarms_of_kinds / nodes_ / kinds, freedom_);
}

double Bars::one_case(double freedom) {
  auto& bar = of_cases_[freedom];
  if (bar == 0) {
    const auto cases = static_cast<double>(normal_.cases.size());
    bar = t_exceeded_with(alarms_of_cases / nodes_ / cases, freedom);
  }
  return bar;
}

double spread_for(const Normal& normal, double spread, std::size_t nodes) {
  return normal.is_of_others ? spread * std::sqrt(1 + error_of_median / static_cast<double>(nodes))
                             : spread;
}

}  // namespace breakeven::fleet
