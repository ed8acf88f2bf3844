// SPDX-License-Identifier: Apache-2.0
// Two runs of the same must not differ; one of a slower device must.
#include <gtest/gtest.h>

#include <cstddef>
#include <iostream>
#include <vector>

#include "reports/statistics/effect.hpp"
#include "tests/self/simulated_machine.hpp"

namespace breakeven::simulated {
namespace {

using FalseAlarm = Simulation;

constexpr std::size_t comparisons = 1000;
constexpr double level = 0.05;

std::vector<double> rounds_of(const Noise& noise, std::uint64_t seed, double work_ns) {
  std::vector<double> medians;
  for (std::uint64_t round = 0; round < 5; ++round) {
    Machine machine(noise, 104'729 * seed + round, work_ns);
    medians.push_back(median(measure(machine, shuffled(4e8)).visit_medians));
  }
  return medians;
}

double share_told_apart(const Noise& noise, double work_ns) {
  double told = 0;
  for (std::size_t i = 0; i < comparisons; ++i) {
    const auto effect =
        welch_log_ratio(rounds_of(noise, 2 * i, 1e5), rounds_of(noise, 2 * i + 1, work_ns));
    if (effect->p_value < level) told += 1.0 / comparisons;
  }
  return told;
}

const Noise usual{.correlated = 0.01, .process = 0.01};

TEST_F(FalseAlarm, SameAgainstSameIsRare) {
  const double alarms = share_told_apart(usual, 1e5);
  std::cout << "false alarms: " << alarms << '\n';
  EXPECT_LE(alarms, level + 0.01);  // 1000 comparisons: 0.7 % of luck
}

TEST_F(FalseAlarm, DelayOfFivePercentIsFound) {
  const double found = share_told_apart(usual, 1.05e5);
  std::cout << "found: " << found << '\n';
  EXPECT_GE(found, 0.9);
}

// The visits of a run as if each were an observation: what rounds are for.
TEST_F(FalseAlarm, VisitsInsteadOfRoundsWouldCryWolf) {
  double alarms = 0;
  for (std::size_t i = 0; i < comparisons; ++i) {
    Machine one(usual, 2 * i + 1), other(usual, 2 * i + 2);
    const auto effect = welch_log_ratio(measure(one, shuffled(4e8)).visit_medians,
                                        measure(other, shuffled(4e8)).visit_medians);
    if (effect->p_value < level) alarms += 1.0 / comparisons;
  }
  EXPECT_GE(alarms, 0.3);
}

}  // namespace
}  // namespace breakeven::simulated
