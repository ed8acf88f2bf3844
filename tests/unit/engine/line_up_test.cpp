// SPDX-License-Identifier: Apache-2.0
// The rules of visiting, with workers that answer by a script: what is asked in which order, what
// becomes of it, and that nothing wrong keeps a time.
#include "suite/engine/line_up.hpp"
#include "suite/cases/all_cases.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>

#include "tests/unit/engine/scripted_worker.hpp"

namespace breakeven {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

// The noise of a machine on which nothing happens, but for one reading.
class QuietWatch final : public NoiseWatch {
 public:
  QuietWatch() : NoiseWatch(steady_clock()) {}
  NoiseReading read() override {
    NoiseReading reading;
    reading.kernel_ns = readings++ == slow ? 1.5e7 : 1e7;
    reading.since_ns = 1e7;
    return reading;
  }
  int readings = 0, slow = -1;
};

class LineUpTest : public testing::Test {
 protected:
  // Measures so many matches, with an id for each contender from 0, contenders of a match first.
  std::vector<Contender>& measure(std::size_t matches, std::uint64_t seed = 1,
                                  std::string_view definition = "matmul") {
    contenders_.assign(matches * plugins_.size(), {});
    planned_.assign(contenders_.size(), {});
    for (std::size_t i = 0; i < contenders_.size(); ++i) {
      planned_[i].definition = case_named(definition);
      planned_[i].plugin = &plugins_[i % plugins_.size()];
      planned_[i].key.devices = devices_;
      planned_[i].key.device = i % places_;
      planned_[i].name = "case " + std::to_string(i);
      contenders_[i].planned = &planned_[i];
      contenders_[i].match = i / plugins_.size();
      contenders_[i].id = static_cast<int>(i);
    }
    Interrupt interrupt;
    Workers workers(worker_processes({}, interrupt));
    if (beside_) workers.running(&*beside_);
    std::mt19937_64 random(seed);
    LineUpRules rules;
    rules.stop.budget_ns = 1e9;  // ten visits of a script take milliseconds
    rules.sample_limit_ns = 1e9;
    rules.run_budget_spent = budget_spent_;
    rules.share_of_opening = share_of_opening_;
    rules.meters_energy = meters_energy_;
    CeilingWatch ceilings(0, sustaining_ns_);
    if (knows_ceilings_)
      for (const PlannedCase& one : planned_) ceilings.measure_all(one, workers);
    LineUp(contenders_, workers, interrupt, rules, random, &noise_,
           watches_ceilings_ ? &ceilings : nullptr, [](const Contender&) {})
        .measure();
    return contenders_;
  }

  scripted::Script script_;
  std::vector<Plugin> plugins_{script_.plugin("scripted")};
  std::optional<Plugin> beside_;  // has a worker already
  std::vector<PlannedCase> planned_;
  std::vector<Contender> contenders_;
  QuietWatch watch_;
  NoiseLog noise_{watch_};
  std::function<bool()> budget_spent_ = [] { return false; };
  double share_of_opening_ = 0, sustaining_ns_ = 1e12;
  std::size_t devices_ = 1;  // of each case
  std::size_t places_ = 1;   // that the cases are on in turn
  bool watches_ceilings_ = false, knows_ceilings_ = false, meters_energy_ = false;
};

// One case of 2000 flop in 103 ns and of 10 bytes: 19.4 Gflop/s.
class CeilingTest : public LineUpTest {
 protected:
  CeilingTest() { watches_ceilings_ = true; }
  ~CeilingTest() override {
    for (const char* name : {"SCRIPT_MOST", "SCRIPT_HIDDEN", "SCRIPT_LOOKS_HIDDEN"}) unsetenv(name);
  }
  void machine_does(const char* most, const char* hidden = "-1", const char* looks_hidden = "0") {
    setenv("SCRIPT_MOST", most, 1);
    setenv("SCRIPT_HIDDEN", hidden, 1);
    setenv("SCRIPT_LOOKS_HIDDEN", looks_hidden, 1);
  }
  std::size_t asked(std::string_view what) const {
    const auto all = script_.asked();
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [&](const scripted::Asked& one) { return one.what == what; }));
  }
  PluginDevice& device() { return plugins_.front().devices.front(); }
};

// The visits of `contenders` in sweeps of one visit each.
std::vector<std::vector<int>> sweeps_of(const std::vector<int>& visited, std::size_t cases) {
  std::vector<std::vector<int>> sweeps;
  for (std::size_t i = 0; i + cases <= visited.size(); i += cases)
    sweeps.emplace_back(visited.begin() + static_cast<std::ptrdiff_t>(i),
                        visited.begin() + static_cast<std::ptrdiff_t>(i + cases));
  return sweeps;
}

TEST_F(LineUpTest, EveryCaseIsVisitedOnceInASweepAndTheSweepsAreShuffled) {
  measure(4);
  const auto sweeps = sweeps_of(script_.visited(), 4);
  ASSERT_EQ(sweeps.size(), 10U);
  for (std::vector<int> sweep : sweeps) {
    std::sort(sweep.begin(), sweep.end());
    EXPECT_THAT(sweep, ElementsAre(0, 1, 2, 3));
  }
  EXPECT_GT((std::set<std::vector<int>>(sweeps.begin(), sweeps.end()).size()), 5U);
  for (const Contender& run : contenders_) EXPECT_EQ(run.stop, StopReason::precision);
}

TEST_F(LineUpTest, TheSeedIsTheOrder) {
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

TEST_F(LineUpTest, AVisitCountsByItsMedianAndKeepsEverySampleInOrder) {
  const Contender& run = measure(2)[1];
  EXPECT_THAT(run.visit_medians, Each(104));
  ASSERT_EQ(run.visits.size(), 10U);
  for (const Visit& visit : run.visits) {
    EXPECT_THAT(visit.wall, ElementsAre(110, 104, 102));
    EXPECT_THAT(visit.enqueue, ElementsAre(3, 1, 2));
  }
  EXPECT_EQ(run.prepared.repetitions, 4U);
  EXPECT_FALSE(run.metered.joules);  // nobody asked
  EXPECT_EQ(run.power_throttle_ns, 50);
}

TEST_F(LineUpTest, EnergyIsMeteredOnceAfterTheVisits) {
  meters_energy_ = true;
  const Contender& run = measure(1).front();
  EXPECT_EQ(run.metered.joules, 20);
  EXPECT_EQ(run.metered.repetitions, 8);
}

TEST_F(LineUpTest, AVisitAtAnotherClockIsDisturbed) {
  setenv("SCRIPT_SLOW_CLOCK", "4", 1);
  const Contender& run = measure(1).front();
  unsetenv("SCRIPT_SLOW_CLOCK");
  EXPECT_EQ(run.unsteady_visits, 1U);
  EXPECT_EQ(std::count(run.disturbances.begin(), run.disturbances.end(), "another clock"), 1);
}

TEST_F(LineUpTest, TheNoiseIsReadOnceForEachMatchAndSweep) {
  watch_.slow = 3;
  const Contender& run = measure(1).front();
  EXPECT_THAT(run.visit_noise, testing::SizeIs(10));
  for (std::size_t i = 1; i < run.visit_noise.size(); ++i)
    EXPECT_GT(run.visit_noise[i], run.visit_noise[i - 1]);
  EXPECT_FALSE(run.disturbances.empty());
  EXPECT_THAT(run.disturbances, Each("kernel +50 %"));
}

TEST_F(LineUpTest, ContendersOfAMatchAreVisitedNextToOneAnotherUndisturbedByTheWatch) {
  plugins_.push_back(script_.plugin("second"));
  measure(3);
  const std::vector<int> visited = script_.visited();
  ASSERT_EQ(visited.size(), 60U);
  int second_first = 0;
  for (std::size_t i = 0; i < visited.size(); i += 2) {
    EXPECT_EQ(visited[i] / 2, visited[i + 1] / 2);
    second_first += visited[i] > visited[i + 1];
  }
  EXPECT_EQ(second_first, 15);  // who goes first in one sweep goes last in the next
  for (const Contender& one : contenders_) {
    EXPECT_THAT(one.sweeps, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
    EXPECT_EQ(one.visit_noise, contenders_[2 * one.match].visit_noise);
  }
}

TEST_F(LineUpTest, AHotDeviceIsADisturbance) {
  plugins_ = {script_.plugin("scripted", {.hot = 1})};
  measure(2);
  EXPECT_TRUE(contenders_[0].disturbances.empty());
  EXPECT_THAT(contenders_[1].disturbances, testing::SizeIs(10));
  EXPECT_THAT(contenders_[1].disturbances, Each("thermal slowdown"));
}

TEST_F(LineUpTest, AWorkerThatDiesCostsOneRowAndItsOthersStartAnew) {
  plugins_ = {script_.plugin("scripted", {.dies = 2}), script_.plugin("other")};
  measure(3);
  EXPECT_EQ(contenders_[2].status, Status::crashed);
  EXPECT_TRUE(contenders_[2].visits.empty());
  for (const std::size_t sound : {0U, 1U, 3U, 4U, 5U}) {
    EXPECT_EQ(contenders_[sound].status, Status::ok) << sound;
    EXPECT_GE(contenders_[sound].visits.size(), 10U) << sound;
  }
}

TEST_F(LineUpTest, EveryResultIsCheckedAgainAfterTheLastVisit) {
  measure(3);
  std::set<int> finished;
  for (const auto& asked : script_.asked()) {
    if (asked.what == "finish") finished.insert(asked.id);
    if (asked.what == "visit") {
      EXPECT_FALSE(finished.contains(asked.id));
    }
  }
  EXPECT_THAT(finished, ElementsAre(0, 1, 2));
}

TEST_F(LineUpTest, WhatIsWrongAtTheEndHasNoTimeAndTheOthersHave) {
  plugins_ = {script_.plugin("scripted", {.wrong = 1})};
  measure(3);
  EXPECT_EQ(contenders_[1].status, Status::wrong);
  EXPECT_EQ(contenders_[1].reason, "c[0,0] is nan");
  EXPECT_TRUE(contenders_[1].visits.empty() && contenders_[1].visit_medians.empty());
  for (const int right : {0, 2})
    EXPECT_EQ(contenders_[static_cast<std::size_t>(right)].visits.size(), 10U);
}

TEST_F(LineUpTest, WhatTakesTwiceAsLongWhereverItIsAuditedHasNoTime) {
  plugins_ = {script_.plugin("scripted", {.lies = 0})};
  measure(2);
  EXPECT_EQ(contenders_[0].status, Status::wrong);
  EXPECT_THAT(contenders_[0].reason,
              HasSubstr("219 ns at best, without 103 ns as a rule (8 of 8 audits)"));
  EXPECT_TRUE(contenders_[0].visits.empty());
  EXPECT_EQ(contenders_[1].status, Status::ok);
}

TEST_F(LineUpTest, WhatAuditsHaveNoTimeToJudgeHasNoTimeEither) {
  plugins_ = {script_.plugin("scripted", {.lies = 0})};
  budget_spent_ = [this] { return contenders_.front().audits.size() > 3; };
  const Contender& run = measure(1).front();
  EXPECT_EQ(run.status, Status::over_budget);
  EXPECT_THAT(run.reason, HasSubstr("before its audits told"));
  EXPECT_LE(run.audits.size(), 6U);
}

TEST_F(LineUpTest, ASuspectThatIsAuditedNoMoreHasNoTime) {
  plugins_ = {script_.plugin("scripted", {.lies = 0, .audits_end = 3})};
  const Contender& run = measure(1).front();
  EXPECT_EQ(run.status, Status::crashed);
  EXPECT_THAT(run.reason, HasSubstr("an audit of nothing"));
  EXPECT_TRUE(run.visits.empty());
}

// What slows audits now and then is the machine.
TEST_F(LineUpTest, OneAuditedRepetitionOfAllThatComesNearTheClaimAcquits) {
  plugins_ = {script_.plugin("scripted", {.lies = 0, .lies_until = 5})};
  const Contender& run = measure(1).front();
  EXPECT_EQ(run.status, Status::ok) << run.reason;
  EXPECT_EQ(run.slow_audits, 5U);
  EXPECT_EQ(run.audits.size(), 6U);
  EXPECT_EQ(run.visits.size(), 10U);
}

// On a busy machine ten visits can be lucky together.
TEST_F(LineUpTest, WhatVisitsBesideTheAuditsDoNotReachEitherIsNotAccused) {
  plugins_ = {script_.plugin("scripted", {.lies = 0, .quick_visits = 10})};
  const Contender& run = measure(1).front();
  EXPECT_EQ(run.status, Status::ok) << run.reason;
  EXPECT_EQ(run.slow_audits, 4U);
}

// It was lucky more than that, or works for a while after it noticed an audit.
TEST_F(LineUpTest, WhatTakesTwiceAsLongInVisitsBesideTheAuditsHasNoTimeIfItDoesSoTwice) {
  plugins_ = {script_.plugin("scripted",
                             {.lies = 0, .quick_visits = 10, .slower_visit = 400, .forgets = 1})};
  const Contender& run = measure(1).front();
  EXPECT_EQ(run.status, Status::over_budget);
  EXPECT_THAT(run.reason,
              HasSubstr("3 later visits took 400 ns a repetition, those of its time 103 ns; run it "
                        "again where less else runs"));
  EXPECT_TRUE(run.visits.empty());
  EXPECT_GE(script_.visited().size(), 26U);
}

TEST_F(LineUpTest, WhatHadNoVerdictIsMeasuredOnceMoreAndItsPartnersWithIt) {
  plugins_ = {script_.plugin("scripted", {.lies = 0, .quick_visits = 10, .slower_visit = 400}),
              script_.plugin("other")};
  measure(1);
  for (const Contender& one : contenders_) {
    EXPECT_EQ(one.status, Status::ok) << one.reason;
    EXPECT_TRUE(one.is_second_attempt);
    EXPECT_EQ(one.visits.size(), 10U);
    EXPECT_EQ(one.sweeps, contenders_.front().sweeps);
  }
}

TEST_F(LineUpTest, WhatHadNoVerdictIsNotMeasuredAgainWithoutABudget) {
  plugins_ = {script_.plugin("scripted", {.lies = 0, .quick_visits = 10, .slower_visit = 400})};
  budget_spent_ = [this] { return script_.visited().size() > 10; };
  const Contender& run = measure(1).front();
  EXPECT_EQ(run.status, Status::over_budget);
  EXPECT_FALSE(run.is_second_attempt);
}

TEST_F(LineUpTest, WhatIsAsSlowBesideEveryAuditIsNotAccused) {
  plugins_ = {script_.plugin("scripted", {.lies = 0, .beside = 110})};
  const Contender& run = measure(1).front();
  EXPECT_EQ(run.status, Status::ok) << run.reason;
  EXPECT_EQ(run.slow_audits, 0U);
  EXPECT_EQ(run.audits.size(), 5U);
}

// It notices audits.
TEST_F(LineUpTest, WhatIsSlowBesideEveryAuditTooHasNoTimeOnAQuietMachine) {
  plugins_ = {script_.plugin("scripted", {.lies = 0, .milliseconds = 5})};
  const Contender& run = measure(1).front();
  EXPECT_EQ(run.status, Status::wrong);
  EXPECT_THAT(run.reason, HasSubstr("8 of 8 audits"));
}

// Its results are written past caches that have the old ones.
TEST_F(LineUpTest, WhatTakesAsLongBeforeEveryAuditWithNothingNewIsNotAccused) {
  plugins_ = {script_.plugin("scripted", {.lies = 0, .milliseconds = 5, .unchanged = 3})};
  const Contender& run = measure(1).front();
  EXPECT_EQ(run.status, Status::ok) << run.reason;
  EXPECT_EQ(run.slow_audits, 0U);
}

// Threads of other programs have the processors, in audits and beside them.
TEST_F(LineUpTest, WhatIsSlowBesideEveryAuditTooIsNotAccusedOnABusyMachine) {
  plugins_ = {
      script_.plugin("scripted", {.lies = 0, .lies_until = 12, .milliseconds = 5, .others = 1})};
  const Contender& acquitted = measure(1).front();
  EXPECT_EQ(acquitted.status, Status::ok) << acquitted.reason;
  EXPECT_EQ(acquitted.slow_audits, 12U);

  plugins_ = {script_.plugin("scripted", {.lies = 0, .milliseconds = 5, .others = 1})};
  const Contender& never_told = measure(1).front();
  EXPECT_EQ(never_told.status, Status::over_budget);
  EXPECT_THAT(never_told.reason, HasSubstr("others had 1 processors, and 25 audits did not tell"));
  EXPECT_TRUE(never_told.visits.empty());
}

// It notices audits for some milliseconds.
TEST_F(LineUpTest, WhatIsSlowRightBehindEveryAuditHasNoTime) {
  plugins_ = {script_.plugin("scripted", {.lies = 0, .beside = 110, .behind = 219})};
  const Contender& run = measure(1).front();
  EXPECT_EQ(run.status, Status::wrong);
  EXPECT_THAT(run.reason, HasSubstr("without 103 ns as a rule"));
}

TEST_F(CeilingTest, WhatIsFasterThanTheMachineAfterManyLooksIsImplausibleWithBothRates) {
  machine_does("1");
  const Contender& run = measure(1).front();
  EXPECT_EQ(run.status, Status::implausible);
  EXPECT_THAT(run.reason, HasSubstr("1.94e+10 flop/s, where burst_f32 is 1e+09"));
  EXPECT_TRUE(run.visits.empty());
}

TEST_F(CeilingTest, WhatOtherLoadHidesOfACeilingIsSeenAtALaterLook) {
  machine_does("10", "1", "7");
  const Contender& run = measure(1).front();
  EXPECT_EQ(run.status, Status::ok) << run.reason;
  EXPECT_EQ(run.visits.size(), 10U);
}

TEST_F(CeilingTest, WhatIsAboveACeilingIsAuditedMore) {
  machine_does("10");
  EXPECT_EQ(measure(1).front().status, Status::ok);
  EXPECT_EQ(asked("audit"), 5U);
}

TEST_F(CeilingTest, WhatIsBelowItsCeilingsIsNotLookedAtAgain) {
  machine_does("100");
  EXPECT_EQ(measure(1).front().status, Status::ok);
  EXPECT_EQ(asked("audit"), 1U);
  const Contender& run = contenders_.front();
  EXPECT_EQ(run.audits.size(), 1U);
}

// What was ready in it is measured anew in another, and that ceiling never again.
TEST_F(CeilingTest, AWorkerThatEndsWhileACeilingIsMeasuredCostsNoCase) {
  plugins_ = {script_.plugin("scripted", {.ends_at_look = 1})};
  device().kind = Kind::gpu;
  knows_ceilings_ = true;
  for (const Contender& run : measure(2)) {
    EXPECT_EQ(run.status, Status::ok) << run.reason;
    EXPECT_EQ(run.visits.size(), 10U);
  }
  EXPECT_GE(asked("prepare"), 4U);
}

// Another device of that worker is asked after its cases are in a fresh one, not before.
TEST_F(CeilingTest, AWorkerThatEndsWhileACeilingIsMeasuredIsNotReplacedForTheNext) {
  plugins_ = {script_.plugin("scripted", {.ends_at_look = 2})};
  device().kind = Kind::gpu;
  plugins_.front().devices.push_back(device());
  knows_ceilings_ = true;
  places_ = 2;
  for (const Contender& run : measure(2)) EXPECT_EQ(run.status, Status::ok) << run.reason;
  EXPECT_GE(asked("prepare"), 4U);
}

// Beside the case, not before: it takes seconds.
TEST_F(CeilingTest, WhatAGpuSustainsIsMeasuredWhereAProductBindsIt) {
  machine_does("100");
  device().kind = Kind::gpu;
  measure(1);
  EXPECT_EQ(asked("gemm_f32_sustained"), 0U);  // no product of it is known
  knows_ceilings_ = true;
  measure(1);
  EXPECT_GE(asked("gemm_f32_sustained"), 1U);
  EXPECT_EQ(asked("gemm_f32_sustained*2"), 0U);
  devices_ = 2;
  measure(1);
  EXPECT_GE(asked("gemm_f32_sustained*2"), 1U);
}

TEST_F(CeilingTest, WhatAGpuSustainsIsNotMeasuredBeyondItsBudget) {
  device().kind = Kind::gpu;
  knows_ceilings_ = true;
  sustaining_ns_ = 0;
  measure(1);
  EXPECT_GE(asked("gemm_f32"), 1U);
  EXPECT_EQ(asked("gemm_f32_sustained"), 0U);
}

// Of each device what the types of its cases need, once.
TEST_F(CeilingTest, ProductsAreMeasuredInTheTypesOfTheCases) {
  device().kind = Kind::gpu;
  knows_ceilings_ = true;
  measure(3);
  EXPECT_EQ(asked("launch"), 1U);
  EXPECT_GE(asked("gemm_f32"), 1U);
  EXPECT_EQ(asked("gemm_f64"), 0U);
  EXPECT_EQ(asked("gemm_bf16"), 0U);
}

TEST_F(CeilingTest, WhereACeilingCannotBeMeasuredNobodyIsAccused) {
  EXPECT_EQ(measure(1).front().status, Status::ok);
}

// Three levels of Strassen's save a third.
TEST_F(CeilingTest, AnotherDeviceIsHeldAgainstThePeakThatItStatesOfTheType) {
  machine_does("1");
  device().kind = Kind::gpu;
  for (const auto& [peak, expected] :
       std::map<std::string, Status>{{"14e9", Status::ok}, {"12e9", Status::implausible}}) {
    device().facts = {{"peak_f64_flop_per_s", "1"}, {"peak_f32_flop_per_s", peak}};
    EXPECT_EQ(measure(1).front().status, expected) << peak;
  }
  device().facts.clear();
  EXPECT_EQ(measure(1).front().status, Status::ok);
}

TEST_F(CeilingTest, ItsCachesMayReadFasterThanItsMemory) {
  device().kind = Kind::gpu;
  for (const auto& [peak, expected] :
       std::map<std::string, Status>{{"10e6", Status::ok}, {"9e6", Status::implausible}}) {
    device().facts = {{"peak_memory_byte_per_s", peak}};
    EXPECT_EQ(measure(1).front().status, expected) << peak;
  }
}

TEST_F(CeilingTest, RanksAreHeldAgainstThisMachineWhereAllAreOnIt) {
  machine_does("1");
  device().kind = Kind::node;
  for (const auto& [hardware, expected] : std::map<std::string, Status>{
           {"host:elsewhere", Status::ok}, {"host", Status::implausible}}) {
    device().hardware = hardware;
    EXPECT_EQ(measure(1).front().status, expected) << hardware;
  }
}

TEST_F(LineUpTest, TheLastRunBeforeTheLastCheckIsAnAuditButOfAFirstUse) {
  for (const std::string_view definition : {"matmul", "first-use"}) {
    measure(1, 1, definition);
    std::string before, last;  // of the last finish
    for (const auto& asked : script_.asked()) {
      if (asked.what == "finish") last = before;
      if (asked.id >= 0) before = asked.what;
    }
    EXPECT_EQ(last == "audit", definition == "matmul") << last;
  }
}

TEST_F(LineUpTest, WhatHappensFirstHasAProcessForEverySample) {
  measure(1, 1, "first-use");
  std::set<int> processes;
  for (const auto& asked : script_.asked())
    if (asked.what == "visit") processes.insert(asked.process);
  EXPECT_EQ(processes.size(), 10U);
  EXPECT_EQ(contenders_.front().visits.size(), 10U);
}

// A worker of another backend on the same GPU would have started the driver and made a context.
TEST_F(LineUpTest, WhatHappensFirstIsAloneWithItsHardware) {
  for (const std::string hardware : {"GPU-1", "GPU-2"}) {
    beside_ = script_.plugin("beside");
    beside_->devices.front().hardware = hardware;
    plugins_.front().devices.front().hardware = "GPU-1";
    beside_->devices.front().kind = plugins_.front().devices.front().kind = Kind::gpu;
    const std::size_t before = script_.asked().size();
    measure(1, 1, "first-use");
    const auto asked = script_.asked();
    const bool lived_on = std::any_of(
        asked.begin() + static_cast<std::ptrdiff_t>(before) + 1, asked.end(),
        [&](const scripted::Asked& one) { return one.process == asked[before].process; });
    EXPECT_EQ(lived_on, hardware == "GPU-2");
  }
}

TEST_F(LineUpTest, WhereOpeningCostsLittleARoundHasSeveralProcesses) {
  share_of_opening_ = 1e9;
  plugins_.push_back(script_.plugin("second"));
  measure(2);
  for (const Contender& one : contenders_) {
    EXPECT_EQ(one.status, Status::ok);
    EXPECT_THAT(one.sweeps, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
    EXPECT_THAT(one.processes, ElementsAre(0, 0, 1, 1, 2, 2, 3, 3, 4, 4));
  }
  std::map<int, std::vector<std::string>> of_process;  // what each was asked of case 0
  for (const auto& asked : script_.asked())
    if (asked.id == 0) of_process[asked.process].push_back(asked.what);
  EXPECT_THAT(of_process, testing::SizeIs(5));
  for (const auto& [process, asked] : of_process)
    EXPECT_THAT(asked, ElementsAre("prepare", "visit", "visit", "audit", "finish"));
}

TEST_F(LineUpTest, WhatIsWrongInOneOfSeveralProcessesHasNoTimeAndTheOthersGoOn) {
  share_of_opening_ = 1e9;
  plugins_ = {script_.plugin("scripted", {.wrong = 1})};
  measure(3);
  EXPECT_EQ(contenders_[1].status, Status::wrong);
  EXPECT_TRUE(contenders_[1].visits.empty());
  for (const std::size_t right : {0U, 2U})
    EXPECT_THAT(contenders_[right].processes, ElementsAre(0, 0, 1, 1, 2, 2, 3, 3, 4, 4));
}

TEST_F(LineUpTest, ARunWhoseBudgetIsSpentEndsAfterTheVisitAndSaysSo) {
  int visits = 0;
  budget_spent_ = [&] {
    return ++visits > 3;
  };  // it is asked before it is prepared, and after a sweep
  const Contender& run = measure(1).front();
  EXPECT_EQ(run.visits.size(), 3U);
  EXPECT_EQ(run.stop, StopReason::budget);
  EXPECT_EQ(run.status, Status::ok);
}

TEST_F(LineUpTest, WhatTheBudgetOfTheRunNeverCameToSaysSo) {
  budget_spent_ = [] { return true; };
  const Contender& run = measure(1).front();
  EXPECT_EQ(run.status, Status::over_budget);
  EXPECT_TRUE(run.awaits_resume());
  EXPECT_THAT(run.reason, HasSubstr("budget of the run"));
  EXPECT_TRUE(script_.visited().empty());
}

}  // namespace
}  // namespace breakeven
