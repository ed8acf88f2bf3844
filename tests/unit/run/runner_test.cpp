// SPDX-License-Identifier: Apache-2.0
// The rules of a run, with workers that answer by a script: who is measured when, and by which
// process.
#include "suite/run/runner.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/unit/run/scripted_worker.hpp"

namespace breakeven {
namespace {

using scripted::Asked;
using scripted::Script;

struct Silent final : RunObserver {
  void started(std::size_t, unsigned) override {}
  void step(std::string_view, std::size_t) override {}
  void measured(const Row&) override {}
};

class RunTest : public testing::Test {
 protected:
  static constexpr std::size_t cases = 25;  // of a backend: one more than a group holds

  // Two backends with as many cases each.
  std::vector<Asked> run(unsigned rounds, std::uint64_t seed) {
    Script script;
    const Plugin first = script.plugin("first"), second = script.plugin("second");
    Plan plan;
    for (const Plugin* plugin : {&first, &second})
      for (std::size_t i = 0; i < cases; ++i) {
        PlannedCase one;
        one.definition = all_cases().front();
        one.plugin = plugin;
        one.key.backend = plugin->name;
        one.key.n = i + 1;
        one.name = name_of(one.key);
        plan.cases.push_back(one);
      }
    RunOptions options;
    options.rounds = rounds;
    options.seed = seed;
    options.case_budget = 0.2;
    Interrupt interrupt;
    Silent silent;
    run_plan(
        options, plan, Row(), {}, interrupt,
        [&](const std::vector<Row>& rows) { rows_.insert(rows_.end(), rows.begin(), rows.end()); },
        silent);
    return script.asked();
  }

  std::vector<Row> rows_;
};

TEST_F(RunTest, EveryRoundHasWorkersOfItsOwnAndBackendsTakeTurns) {
  const std::vector<Asked> asked = run(2, 1);
  std::vector<int> turns;  // who is prepared, one entry a group
  for (std::size_t i = 0; i < asked.size(); ++i)
    if (asked[i].what == "prepare" && (i == 0 || asked[i - 1].what != "prepare"))
      turns.push_back(asked[i].process);
  ASSERT_EQ(turns.size(), 8U);
  for (const std::size_t round : {0U, 4U}) {
    EXPECT_NE(turns[round], turns[round + 1]);
    EXPECT_EQ(turns[round], turns[round + 2]);
    EXPECT_EQ(turns[round + 1], turns[round + 3]);
  }
  EXPECT_EQ(std::set<int>(turns.begin(), turns.end()).size(), 4U);

  std::map<std::string, int> rows_of_round;
  for (const Row& row : rows_) ++rows_of_round[row.text(Column::round)];
  EXPECT_EQ(rows_of_round, (std::map<std::string, int>{{"1", 50}, {"2", 50}}));
}

TEST_F(RunTest, TheSeedOfTheRunIsTheOrderOfItsVisits) {
  // Of the first sweep: how many follow is up to the budget where the machine stalls.
  const auto order = [this](std::uint64_t seed) {
    std::vector<int> ids;
    for (const Asked& one : run(1, seed))
      if (one.what == "visit" && ids.size() < cases - 1) ids.push_back(one.id);
    return ids;
  };
  const std::vector<int> first = order(5);
  EXPECT_EQ(order(5), first);
  EXPECT_NE(order(6), first);
}

TEST(Limits, FullHasFiveRoundsAndTheOthersOneUnlessAsked) {
  RunOptions options;
  EXPECT_EQ(limits_of(options).rounds, 1U);
  options.selection.preset = Preset::course;
  EXPECT_EQ(limits_of(options).rounds, 1U);
  options.selection.preset = Preset::full;
  EXPECT_EQ(limits_of(options).rounds, 5U);
  options.rounds = 3;
  EXPECT_EQ(limits_of(options).rounds, 3U);
}

TEST(Limits, TheTimeOfARunIsSharedOutAmongAllItsRounds) {
  RunOptions options;
  const double of_one = limits_of(options).run_target;
  options.rounds = 5;
  EXPECT_EQ(limits_of(options).run_target, 5 * of_one);
  options.run_budget = 50;
  const Limits limits = limits_of(options);
  EXPECT_EQ(limits.run_target, 50);
  EXPECT_EQ(share_of_a_case(limits, 0, 50), 1);
  EXPECT_EQ(share_of_a_case(limits, 10, 20), 2);
  EXPECT_EQ(share_of_a_case(limits, 0, 1), limits.case_budget);
  EXPECT_EQ(share_of_a_case(limits, 60, 20), 0.1);
}

TEST(Limits, ACaseNeverGetsMoreThanItsOwnBudget) {
  RunOptions options;
  options.run_budget = 50;
  options.case_budget = 0.05;
  EXPECT_EQ(share_of_a_case(limits_of(options), 0, 10), 0.05);
}

}  // namespace
}  // namespace breakeven
