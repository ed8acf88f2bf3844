// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/stop_rule.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace breakeven {
namespace {

std::vector<double> alternating(std::size_t count, double median, double deviation) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(median * (1 + (i % 2 ? deviation : -deviation)));
  }
  return values;
}

TEST(StopRule, EndsAtTheFirstLookWhenPreciseEnough) {
  EXPECT_EQ(stop({}, alternating(9, 100, 0.001), 0), std::nullopt);
  EXPECT_EQ(stop({}, alternating(10, 100, 0.001), 0), StopReason::precision);
}

TEST(StopRule, LooksOnlyAfterAThirdMoreVisits) {
  std::vector<std::size_t> looks;
  for (std::size_t visits = 1; visits <= 60; ++visits) {
    if (stop({}, alternating(visits, 100, 0.001), 0)) looks.push_back(visits);
  }
  EXPECT_EQ(looks, (std::vector<std::size_t>{10, 13, 17, 23, 31, 41, 55}));
}

TEST(StopRule, GoesOnWhileTheIntervalIsWide) {
  EXPECT_EQ(stop({}, alternating(10, 100, 0.02), 0), std::nullopt);
  EXPECT_EQ(stop({.precision = 0.03}, alternating(10, 100, 0.02), 0), StopReason::precision);
}

TEST(StopRule, BudgetEndsACaseAfterAnyVisit) {
  EXPECT_EQ(stop({.budget_ns = 1e9}, alternating(1, 100, 0), 1e9), StopReason::budget);
  EXPECT_EQ(stop({.budget_ns = 1e9}, alternating(1, 100, 0), 0.9e9), std::nullopt);
  EXPECT_EQ(stop({.budget_ns = 0}, {}, 0), std::nullopt);
}

TEST(StopRule, AShareOfTheRunLeavesTheVisitsThatAnIntervalNeeds) {
  EXPECT_EQ(stop({.share_ns = 1e9}, alternating(5, 100, 0.5), 2e9), std::nullopt);
  EXPECT_EQ(stop({.share_ns = 1e9}, alternating(6, 100, 0.5), 2e9), StopReason::budget);
  EXPECT_EQ(stop({.share_ns = 1e9}, alternating(6, 100, 0.5), 0.9e9), std::nullopt);
}

TEST(StopRule, PrecisionReachedGoesBeforeBudget) {
  EXPECT_EQ(stop({.budget_ns = 1}, alternating(10, 100, 0), 2), StopReason::precision);
}

TEST(StopRule, VisitsAreBounded) {
  EXPECT_EQ(stop({.most_visits = 20}, alternating(20, 100, 0.5), 0), StopReason::visits);
}

TEST(StopRule, SweepsBeforeTheFirstLookSeeThreeSeconds) {
  double seen = 0;
  for (std::size_t sweep = 0; sweep < StopRule{}.fewest_visits; ++sweep) {
    seen += shortest_sweep_ns({}, sweep);
  }
  EXPECT_DOUBLE_EQ(seen, 3e9);
  EXPECT_LT(shortest_sweep_ns({}, 10), shortest_sweep_ns({}, 9));
}

TEST(StopRule, SmallBudgetIsNotSpentWaiting) {
  EXPECT_LE(shortest_sweep_ns({.budget_ns = 1e8}, 0), 1e7);
}

TEST(StopRule, NamesAreThoseOfTheReport) {
  EXPECT_EQ(name_of(StopReason::precision), "precision");
  EXPECT_EQ(name_of(StopReason::budget), "budget");
  EXPECT_EQ(name_of(StopReason::visits), "visits");
}

}  // namespace
}  // namespace breakeven
