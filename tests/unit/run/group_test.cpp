// SPDX-License-Identifier: Apache-2.0
// The rules of visiting, with workers that answer by a script: what is asked in which order, what
// becomes of it, and that nothing wrong keeps a time.
#include "suite/run/group.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <set>

#include "tests/unit/run/scripted_worker.hpp"

namespace breakeven {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

const Case& case_named(std::string_view name) {
  const auto cases = all_cases();
  return **std::find_if(cases.begin(), cases.end(),
                        [&](const Case* one) { return one->name() == name; });
}

class GroupTest : public testing::Test {
 protected:
  // Measures so many cases, with ids from 0, as a group.
  std::vector<CaseRun>& measure(std::size_t cases, std::uint64_t seed = 1,
                                std::string_view definition = "matmul") {
    planned_.assign(cases, {});
    runs_.assign(cases, {});
    for (std::size_t i = 0; i < cases; ++i) {
      planned_[i].definition = &case_named(definition);
      planned_[i].plugin = &plugin_;
      planned_[i].name = "case " + std::to_string(i);
      runs_[i].planned = &planned_[i];
      runs_[i].id = static_cast<int>(i);
    }
    Interrupt interrupt;
    WorkerPool workers({}, interrupt);
    std::mt19937_64 random(seed);
    GroupLimits limits;
    limits.stop.budget_ns = 1e9;  // ten visits of a script take milliseconds
    limits.sample_limit_ns = 1e9;
    limits.time_limit = 60;
    limits.run_budget_spent = budget_spent_;
    Group(
        runs_, workers, interrupt, limits, random, noise_, [](const CaseRun&) {},
        [this] { return busy_; })
        .measure();
    return runs_;
  }

  scripted::Script script_;
  Plugin plugin_ = script_.plugin("scripted");
  std::vector<PlannedCase> planned_;
  std::vector<CaseRun> runs_;
  std::vector<NoiseReading> noise_;
  std::function<bool()> budget_spent_ = [] { return false; };
  bool busy_ = false;  // before every sweep
};

// The visits of a group of `cases` in sweeps of one visit each.
std::vector<std::vector<int>> sweeps_of(const std::vector<int>& visited, std::size_t cases) {
  std::vector<std::vector<int>> sweeps;
  for (std::size_t i = 0; i + cases <= visited.size(); i += cases)
    sweeps.emplace_back(visited.begin() + static_cast<std::ptrdiff_t>(i),
                        visited.begin() + static_cast<std::ptrdiff_t>(i + cases));
  return sweeps;
}

TEST_F(GroupTest, EveryCaseIsVisitedOnceInASweepAndTheSweepsAreShuffled) {
  measure(4);
  const auto sweeps = sweeps_of(script_.visited(), 4);
  ASSERT_EQ(sweeps.size(), 10U);
  for (std::vector<int> sweep : sweeps) {
    std::sort(sweep.begin(), sweep.end());
    EXPECT_THAT(sweep, ElementsAre(0, 1, 2, 3));
  }
  EXPECT_GT((std::set<std::vector<int>>(sweeps.begin(), sweeps.end()).size()), 5U);
  for (const CaseRun& run : runs_) EXPECT_EQ(run.stop, StopReason::precision);
}

TEST_F(GroupTest, TheSeedIsTheOrder) {
  std::size_t before = 0;
  const auto order = [&](std::uint64_t seed) {
    measure(4, seed);
    std::vector<int> visited = script_.visited();
    visited.erase(visited.begin(), visited.begin() + static_cast<std::ptrdiff_t>(before));
    before += visited.size();
    return visited;
  };
  const std::vector<int> first = order(7);
  EXPECT_EQ(order(7), first);
  EXPECT_NE(order(8), first);
}

TEST_F(GroupTest, AVisitCountsByItsMedianAndKeepsEverySampleInOrder) {
  const CaseRun& run = measure(2)[1];
  EXPECT_THAT(run.visit_medians, Each(104));
  ASSERT_EQ(run.visits.size(), 10U);
  for (const Visit& visit : run.visits) {
    EXPECT_THAT(visit.wall, ElementsAre(110, 104, 102));
    EXPECT_THAT(visit.enqueue, ElementsAre(3, 1, 2));
  }
  EXPECT_EQ(run.repetitions, 4U);
  EXPECT_EQ(run.joules, 20);
  EXPECT_EQ(run.power_throttle_ns, 50);
}

TEST_F(GroupTest, EveryVisitLiesBetweenTwoReadingsOfTheNoise) {
  plugin_ = script_.plugin("scripted", 3);
  const CaseRun& run = measure(1).front();
  EXPECT_EQ(noise_.size(), run.visits.size() + 1);
  EXPECT_THAT(run.visit_noise, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(run.disturbances, ElementsAre("kernel +50 %", "kernel +50 %"));
}

TEST_F(GroupTest, WhatTheSuiteDoesBetweenVisitsDisturbsNone) {
  busy_ = true;
  const CaseRun& run = measure(1).front();
  EXPECT_EQ(noise_.size(), 2 * run.visits.size());
  EXPECT_THAT(run.visit_noise, ElementsAre(0, 2, 4, 6, 8, 10, 12, 14, 16, 18));
}

TEST_F(GroupTest, EveryResultIsCheckedAgainAfterTheLastVisit) {
  measure(3);
  std::set<int> finished;
  for (const auto& asked : script_.asked()) {
    if (asked.what == "finish") finished.insert(asked.id);
    if (asked.what == "visit") {
      EXPECT_TRUE(finished.empty());
    }
  }
  EXPECT_THAT(finished, ElementsAre(0, 1, 2));
}

TEST_F(GroupTest, WhatIsWrongAtTheEndHasNoTimeAndTheOthersHave) {
  plugin_ = script_.plugin("scripted", -1, 1);
  measure(3);
  EXPECT_EQ(runs_[1].status, Status::wrong);
  EXPECT_EQ(runs_[1].reason, "c[0,0] is nan");
  EXPECT_TRUE(runs_[1].visits.empty() && runs_[1].visit_medians.empty());
  for (const int right : {0, 2})
    EXPECT_EQ(runs_[static_cast<std::size_t>(right)].visits.size(), 10U);
}

TEST_F(GroupTest, WhatHappensFirstHasAProcessForEverySample) {
  measure(1, 1, "first-use");
  std::set<int> processes;
  for (const auto& asked : script_.asked())
    if (asked.what == "visit") processes.insert(asked.process);
  EXPECT_EQ(processes.size(), 10U);
  EXPECT_EQ(runs_.front().visits.size(), 10U);
}

TEST_F(GroupTest, ARunWhoseBudgetIsSpentEndsAfterTheVisitAndSaysSo) {
  int visits = 0;
  budget_spent_ = [&] { return ++visits > 3; };  // the first asks before it is prepared
  const CaseRun& run = measure(1).front();
  EXPECT_EQ(run.visits.size(), 3U);
  EXPECT_EQ(run.stop, StopReason::budget);
  EXPECT_EQ(run.status, Status::ok);
}

TEST_F(GroupTest, WhatTheBudgetOfTheRunNeverCameToSaysSo) {
  budget_spent_ = [] { return true; };
  const CaseRun& run = measure(1).front();
  EXPECT_EQ(run.status, Status::over_budget);
  EXPECT_THAT(run.reason, HasSubstr("budget of the run"));
  EXPECT_TRUE(script_.visited().empty());
}

}  // namespace
}  // namespace breakeven
