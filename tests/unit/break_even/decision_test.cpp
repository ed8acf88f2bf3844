// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/decision.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace breakeven {
namespace {

Faster decide(const LogRatios& visit, std::size_t dependent = 1) {
  return breakeven::decide(std::span(&visit, 1), dependent, 0.01).faster;
}

TEST(Decision, eight_blocks_on_one_side_of_zero_are_the_fewest_that_decide) {
  EXPECT_EQ(decide(LogRatios(7, 0.5)), Faster::undecided);
  EXPECT_EQ(decide(LogRatios(8, 0.5)), Faster::from);
  EXPECT_EQ(decide(LogRatios(8, -0.5)), Faster::to);
}

TEST(Decision, one_contrary_block_of_eight_leaves_it_open) {
  LogRatios visit(8, 0.5);
  visit[3] = -0.1;
  EXPECT_EQ(decide(visit), Faster::undecided);
}

TEST(Decision, an_interval_inside_the_margin_is_a_tie_unless_it_excludes_zero) {
  EXPECT_EQ(decide({-0.009, 0.008, 0.001, -0.002, 0.003, -0.004, 0.002, 0.001}), Faster::neither);
  EXPECT_EQ(decide({-0.009, 0.011, 0.001, -0.002, 0.003, -0.004, 0.002, 0.001}), Faster::undecided);
  EXPECT_EQ(decide(LogRatios(8, 0.002)), Faster::from);
}

TEST(Decision, blocks_that_depend_on_one_another_count_as_one) {
  EXPECT_EQ(decide(LogRatios(8, 0.5), 2), Faster::undecided);
  EXPECT_EQ(decide(LogRatios(16, 0.5), 2), Faster::from);
}

TEST(Decision, groups_do_not_reach_across_visits) {
  const std::vector<LogRatios> visits(8, LogRatios(3, 0.5));
  EXPECT_EQ(breakeven::decide(visits, 2, 0.01).faster, Faster::from);
  EXPECT_EQ(breakeven::decide(visits, 4, 0.01).faster, Faster::undecided);
}

std::vector<LogRatios> noise(double correlation, std::size_t visits, std::size_t blocks) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::vector<LogRatios> all;
  for (std::size_t i = 0; i < visits; ++i) {
    double state = normal(random);
    LogRatios& visit = all.emplace_back();
    for (std::size_t j = 0; j < blocks; ++j) {
      visit.push_back(state);
      state = correlation * state + std::sqrt(1 - correlation * correlation) * normal(random);
    }
  }
  return all;
}

TEST(DependentBlocks, independent_blocks_stand_alone_even_in_short_visits) {
  EXPECT_EQ(dependent_blocks(noise(0, 40, 8)), 1u);
  EXPECT_EQ(dependent_blocks(noise(0, 1, 400)), 1u);
  EXPECT_EQ(dependent_blocks({}), 1u);
  EXPECT_EQ(dependent_blocks(std::vector<LogRatios>(4, LogRatios(8, 0.5))), 1u);
}

TEST(DependentBlocks, correlated_blocks_are_grouped) {
  // The sides of a median correlate by (2/π) asin 0.8 = 0.59: (1 + 0.59) / (1 - 0.59) = 3.9.
  EXPECT_EQ(dependent_blocks(noise(0.8, 1, 4000)), 4u);
  EXPECT_GE(dependent_blocks(noise(0.8, 40, 11)), 2u);
}

}  // namespace
}  // namespace breakeven
