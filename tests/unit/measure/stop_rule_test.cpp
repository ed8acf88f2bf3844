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
  EXPECT_EQ(stop({.budget_ns = 0}, alternating(0, 100, 0), 0), std::nullopt);
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

// Both move together by 5 %, apart by 0.1 %.
struct Pair {
  Pair() {
    for (std::size_t i = 0; i < 40; ++i) {
      const double load = i % 3 == 0 ? 1.1 : 1;
      slow.push_back(200 * load * (i % 2 ? 1.001 : 0.999));
      fast.push_back(100 * load);
      sweeps.push_back(i);
    }
  }
  std::vector<SweptVisits> first(std::size_t visits) const {
    const std::span<const std::size_t> which(sweeps.data(), visits);
    return {{std::span(slow.data(), visits), which}, {std::span(fast.data(), visits), which}};
  }
  std::vector<double> slow, fast;
  std::vector<std::size_t> sweeps;
};

TEST(StopRule, BesideAnotherItIsTheRatioThatHasToBePrecise) {
  const Pair pair;
  EXPECT_EQ(stop({}, pair.first(10), 0), StopReason::precision);
  EXPECT_EQ(stop({}, pair.first(9), 0), std::nullopt);
  EXPECT_EQ(stop({}, std::span(pair.fast).first(10), 0), std::nullopt);
}

TEST(StopRule, AMatchHasTheBudgetsOfAllItsContenders) {
  const Pair pair;
  const StopRule rule{.fewest_visits = 30, .budget_ns = 1e9};
  EXPECT_EQ(stop(rule, pair.first(3), 1.9e9), std::nullopt);
  EXPECT_EQ(stop(rule, pair.first(3), 2e9), StopReason::budget);
}

TEST(StopRule, AMatchWaitsForAContenderThatStartedAnew) {
  const Pair pair;
  auto match = pair.first(20);
  match[1] = {};
  EXPECT_EQ(stop({.budget_ns = 1}, match, 1e9), std::nullopt);
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
