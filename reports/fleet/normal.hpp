// SPDX-License-Identifier: Apache-2.0
// What equal nodes do: their times parted into cases and nodes, and how far they lie apart.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "reports/fleet/judgement.hpp"

namespace breakeven::fleet {

inline constexpr double error_of_median = 1.57;  // variance of a median over that of a mean: pi / 2
inline constexpr std::size_t cases_of_a_kind = 3;  // fewer are judged one by one

double median_or_0(const std::vector<double>& values);

// Logarithms of the times of some nodes, by node, then case. What is left of a time is what is not
// said by its case and its node (Tukey's median polish).
class Polish {
 public:
  Polish(const Fleet& fleet, const std::vector<std::size_t>& nodes);

  double location(std::size_t index) const { return of_case_[index]; }
  const std::vector<double>& of_nodes() const { return of_node_; }
  std::vector<double> left(std::size_t index) const;  // of the nodes that have a time
  double left(std::size_t node, std::size_t index) const { return left_[node * cases_ + index]; }

 private:
  void take_out_cases();
  void take_out_nodes();

  std::size_t cases_;
  std::vector<double> left_, of_node_, of_case_;
};

// The least spread that is believed: equal nodes that agree better are not told apart by it.
double floor_of(const Options& options);

Normal normal_of(const Fleet& fleet, const std::vector<std::size_t>& nodes, const Polish& polish,
                 const Options& options);

// What has to be exceeded so that all that is tested raises an alarm this seldom.
class Bars {
 public:
  Bars(const Normal& normal, std::size_t nodes);

  double everywhere() const;
  double kind() const;
  double one_case(double freedom);

 private:
  const Normal& normal_;
  double freedom_, nodes_;
  std::map<double, double> of_cases_;
};

// Of a node that is none of those that the spread is of: their median has an error of its own. (Of
// one of them, Student's t is already more than enough: simulated for 8 to 512 nodes.)
double spread_for(const Normal& normal, double spread, std::size_t nodes);

}  // namespace breakeven::fleet
