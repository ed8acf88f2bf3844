// SPDX-License-Identifier: Apache-2.0
// The rules of a run, with workers that answer by a script: who is measured when, and by which
// process.
#include "suite/run/runner.hpp"
#include "suite/cases/all_cases.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "suite/run/line_ups.hpp"
#include "tests/unit/engine/scripted_worker.hpp"

namespace breakeven {
namespace {

using scripted::Asked;
using scripted::Script;

struct Silent final : RunObserver {
  std::size_t total = 0, most_done = 0;

  void started(std::size_t cases, double) override { total = cases; }
  void step(std::string_view, std::size_t done) override { most_done = std::max(most_done, done); }
  void measured(const Row&) override {}
};

class RunTest : public testing::Test {
 protected:
  static constexpr std::size_t cases =
      13;  // of a backend: one more than fits into a line-up of both

  // Two backends with as many cases each.
  std::vector<Asked> run(unsigned rounds, std::uint64_t seed) {
    Script script;
    const Plugin first = script.plugin("first");
    Plugin second = script.plugin("second");
    if (!missing_.empty()) second.reason = missing_;
    Plan plan;
    for (const Plugin* plugin : std::initializer_list<const Plugin*>{&first, &second})
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
    Silent& silent = observer_;
    run_plan(
        options, plan, Row(), {}, interrupt,
        [&](const std::vector<Row>& rows) { rows_.insert(rows_.end(), rows.begin(), rows.end()); },
        silent);
    return script.asked();
  }

  std::vector<Row> rows_;
  Silent observer_;
  std::string missing_;  // why the second backend cannot be used; empty: it can
};

TEST_F(RunTest, WhatCannotRunIsNotCounted) {
  missing_ = "no driver";
  run(1, 1);
  EXPECT_EQ(rows_.size(), 2 * cases);
  EXPECT_EQ(observer_.total, cases);
  EXPECT_EQ(observer_.most_done, cases);
}

TEST_F(RunTest, EveryRoundHasWorkersOfItsOwnAndBackendsAreMeasuredSideBySide) {
  const std::vector<Asked> asked = run(2, 1);
  std::set<int> visiting;
  for (const Asked& one : asked)
    if (one.what == "visit") visiting.insert(one.process);
  // Two backends, two rounds; where opening is cheap, a round opens all of them more than once.
  EXPECT_GE(visiting.size(), 4U);
  EXPECT_EQ(visiting.size() % 2, 0U);

  std::map<std::string, int> rows_of_round, rows_of_line_up;
  for (const Row& row : rows_) {
    ++rows_of_round[row.text(Column::round)];
    ++rows_of_line_up[row.text(Column::line_up)];
    EXPECT_TRUE(row.is_known(Column::sweeps));
  }
  EXPECT_EQ(rows_of_round, (std::map<std::string, int>{{"1", 26}, {"2", 26}}));
  EXPECT_EQ(rows_of_line_up, (std::map<std::string, int>{
                                 {"NA.1.1", 24}, {"NA.1.2", 2}, {"NA.2.1", 24}, {"NA.2.2", 2}}));
}

TEST_F(RunTest, TheSeedOfTheRunIsTheOrderOfItsVisits) {
  // Of the first sweep: how many follow is up to the budget where the machine stalls.
  const auto order = [this](std::uint64_t seed) {
    std::vector<int> ids;
    for (const Asked& one : run(1, seed))
      if (one.what == "visit" && ids.size() < 24) ids.push_back(one.id);
    return ids;
  };
  const std::vector<int> first = order(5);
  EXPECT_EQ(order(5), first);
  EXPECT_NE(order(6), first);
}

PlannedCase planned_on(const Plugin& plugin) {
  PlannedCase planned;
  planned.definition = case_named("matmul");
  planned.plugin = &plugin;
  planned.key.case_name = "matmul";
  planned.key.mode = "resident";
  planned.key.backend = plugin.name;
  planned.key.m = planned.key.n = planned.key.k = 1000;
  planned.key.batch = 1;
  return planned;
}

TEST(LineUps, BackendsThatDoNotFitTogetherTakeTurnsAndSaySo) {
  Script script;
  const Plugin first = script.plugin("first"), second = script.plugin("second");
  const std::vector<PlannedCase> cases{planned_on(first), planned_on(second)};
  const auto bytes = static_cast<double>(cases[0].definition->footprint(cases[0].key));
  const std::vector<const PlannedCase*> planned = {&cases[0], &cases[1]};
  const auto together = line_ups_of(planned, {.host = 2 * bytes});
  ASSERT_EQ(together.size(), 1U);
  EXPECT_EQ(together[0].contenders.size(), 2U);
  EXPECT_EQ(together[0].contenders[0].unpaired, Unpaired::no);
  const auto apart = line_ups_of(planned, {.host = 1.5 * bytes});
  ASSERT_EQ(apart.size(), 2U);
  for (const LineUpPlan& one : apart) EXPECT_EQ(one.contenders.at(0).unpaired, Unpaired::memory);
  const auto nowhere = line_ups_of(planned, {.host = 0.5 * bytes});
  EXPECT_EQ(nowhere.at(0).contenders.at(0).status, Status::out_of_memory);
}

TEST(LineUps, TwoBackendsOnOneDeviceShareItsMemory) {
  Script script;
  Plugin first = script.plugin("first"), second = script.plugin("second");
  for (Plugin* plugin : {&first, &second}) {
    plugin->devices[0].kind = Kind::gpu;
    plugin->devices[0].hardware = "GPU-1";
  }
  const std::vector<PlannedCase> cases{planned_on(first), planned_on(second)};
  const std::vector<const PlannedCase*> both{&cases[0], &cases[1]};
  const auto bytes = static_cast<double>(cases[0].definition->footprint(cases[0].key));
  Room room{.host = 1e15, .devices = {{"GPU-1", 1.5 * bytes}, {"GPU-2", 1.5 * bytes}}};
  EXPECT_EQ(line_ups_of(both, room).size(), 2U);
  second.devices[0].hardware = "GPU-2";
  EXPECT_EQ(line_ups_of(both, room).size(), 1U);
  // One that is made of both shares the first one's memory.
  second.devices[0].hardware = "GPU-1 GPU-2";
  EXPECT_EQ(line_ups_of(both, room).size(), 2U);
  second.devices[0].kind = Kind::cpu;
  EXPECT_TRUE(hardware_of(second, 0).empty());
}

TEST(LineUps, BackendsOfADeviceForOneProcessComeOneAfterTheOther) {
  Script script;
  const Plugin host = script.plugin("host");
  Plugin first = script.plugin("first"), second = script.plugin("second");
  for (Plugin* plugin : {&first, &second}) {
    plugin->devices[0].kind = Kind::gpu;
    plugin->devices[0].hardware = "GPU-1";
    plugin->devices[0].facts = {{"most_processes", "1"}};
  }
  std::vector<PlannedCase> cases;
  for (const std::size_t n : {100U, 200U})
    for (const Plugin* plugin : std::initializer_list<const Plugin*>{&host, &first, &second}) {
      cases.push_back(planned_on(*plugin));
      cases.back().key.n = n;
    }
  std::vector<const PlannedCase*> planned;
  for (const PlannedCase& one : cases) planned.push_back(&one);
  const auto plans = line_ups_of(planned, {.host = 1e15});
  ASSERT_EQ(plans.size(), 2U);
  std::vector<std::string> order;
  for (const LineUpPlan& plan : plans)
    for (const Contender& one : plan.contenders) {
      order.push_back(one.planned->key.backend + " " + std::to_string(one.planned->key.n));
      EXPECT_EQ(one.unpaired, Unpaired::exclusive) << order.back();
    }
  EXPECT_EQ(order, (std::vector<std::string>{"host 100", "first 100", "host 200", "first 200",
                                             "second 100", "second 200"}));
  EXPECT_EQ(plans[1].contenders.size(), 2U);
  EXPECT_FALSE(exclude_each_other(first, first));
  EXPECT_FALSE(exclude_each_other(host, first));
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

TEST(Limits, TheQuickPresetEndsWithinAMinuteWhereNobodySaysOtherwise) {
  RunOptions options;
  EXPECT_GT(limits_of(options).run_budget, 0);
  EXPECT_LT(limits_of(options).run_budget, 60);
  options.rounds = 2;
  EXPECT_EQ(limits_of(options).run_budget, 0);
  options.rounds.reset();
  options.selection.sizes = {{64, 64, 64}};
  EXPECT_EQ(limits_of(options).run_budget, 0);
  options.selection.sizes.clear();
  options.case_budget = 1;
  EXPECT_EQ(limits_of(options).run_budget, 0);
}

TEST(Limits, TheTimeOfARunIsSharedOutAmongAllItsRounds) {
  RunOptions options;
  const double of_one = limits_of(options).run_target;
  options.rounds = 5;
  EXPECT_EQ(limits_of(options).run_target, 5 * of_one);
  options.run_budget = 50;
  const Limits limits = limits_of(options);
  EXPECT_EQ(limits.run_target, 50);
  EXPECT_EQ(share_of_a_case(limits, 0, 50, 0), 1);
  EXPECT_EQ(share_of_a_case(limits, 10, 20, 0), 2);
  EXPECT_EQ(share_of_a_case(limits, 10, 20, 0.5), 1.5);
  EXPECT_EQ(share_of_a_case(limits, 0, 1, 0), limits.case_budget);
  EXPECT_EQ(share_of_a_case(limits, 60, 20, 0), 0.05);
}

TEST(Limits, JoulesTakeAQuarterOfABudgetAtMostUnlessTheyWereAskedFor) {
  RunOptions options;
  EXPECT_FALSE(meters_energy(options, 1));
  options.selection.preset = Preset::full;
  EXPECT_TRUE(meters_energy(options, 1000));
  options.run_budget = 80;
  EXPECT_TRUE(meters_energy(options, 10));
  EXPECT_FALSE(meters_energy(options, 11));
  options.meters_energy = true;
  EXPECT_TRUE(meters_energy(options, 11));
}

TEST(Limits, ACaseNeverGetsMoreThanItsOwnBudget) {
  RunOptions options;
  options.run_budget = 50;
  options.case_budget = 0.04;
  EXPECT_EQ(share_of_a_case(limits_of(options), 0, 10, 0), 0.04);
}

}  // namespace
}  // namespace breakeven
