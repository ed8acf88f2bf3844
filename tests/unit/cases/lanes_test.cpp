// SPDX-License-Identifier: Apache-2.0
#include "suite/cases/lanes.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "tests/fakes.hpp"

namespace breakeven {
namespace {

// Two lanes that take 100 each, and one device that does all of it in 200: efficiency 1.
LaneTimes perfect() {
  LaneTimes times;
  times.alone = {100, 100};
  times.single = {200, 200};
  times.together = 100;
  times.together_enqueue = 5;
  return times;
}

LaneTimes hindered(double together) {
  LaneTimes times = perfect();
  times.together = together;
  return times;
}

TEST(CauseOf, IsNoneFromNineTenthsOn) {
  EXPECT_EQ(cause_of(hindered(111), 2, Kind::gpu), "none");
  EXPECT_NE(cause_of(hindered(112), 2, Kind::gpu), "none");
}

TEST(CauseOf, IsNoneForAnyCountOfLanes) {
  LaneTimes times;
  times.alone = times.single = {100, 100, 100, 100};
  for (double& single : times.single) single = 400;
  times.together = 111;
  EXPECT_EQ(cause_of(times, 4, Kind::gpu), "none");
  times.together = 150;
  EXPECT_EQ(cause_of(times, 4, Kind::gpu), "interference:1.50");
}

TEST(CauseOf, OneThreadThatIsBusyHandingOverIsTheFeedingThread) {
  LaneTimes times = hindered(200);
  times.together_enqueue = 190;
  EXPECT_EQ(cause_of(times, 1, Kind::gpu), "feeding-thread:0.95");
}

TEST(CauseOf, AThreadThatWaitsOrFeedsOneLaneIsNotTheFeedingThread) {
  LaneTimes times = hindered(200);
  times.together_enqueue = 170;
  EXPECT_EQ(cause_of(times, 1, Kind::gpu), "interference:2.00");
  times.together_enqueue = 200;
  EXPECT_EQ(cause_of(times, 2, Kind::gpu), "interference:2.00");
}

TEST(CauseOf, LanesThatOnlyTakeLongerTogetherInterfere) {
  EXPECT_EQ(cause_of(hindered(150), 2, Kind::gpu), "interference:1.50");
  EXPECT_EQ(cause_of(hindered(150), 2, Kind::cpu), "interference:1.50");
}

TEST(CauseOf, LanesOfWhichOneIsFedBeforeTheNextWaitForOneAnother) {
  LaneTimes times = hindered(170);
  times.lane_by_lane = true;
  EXPECT_EQ(cause_of(times, 1, Kind::gpu), "one-by-one:1.70");
}

TEST(CauseOf, CopiesThatHinderEachOtherAreASharedLink) {
  LaneTimes times = hindered(150);
  times.copies_alone = {0, 40, 35};
  times.copies_together = 75;
  EXPECT_EQ(cause_of(times, 2, Kind::gpu), "shared-link:1.88");
}

TEST(CauseOf, CopiesThatExplainTooLittleAreNoSharedLink) {
  LaneTimes times = hindered(150);
  times.copies_alone = {0, 40, 35};
  times.copies_together = 60;  // 20 of the 50 that are lost
  EXPECT_EQ(cause_of(times, 2, Kind::gpu), "interference:1.50");
}

TEST(CauseOf, CopiesThatDoNotHinderEachOtherAreNoSharedLink) {
  LaneTimes times = hindered(120);
  times.copies_alone = {0, 200, 150};
  times.copies_together = 215;  // 15 of the 20 that are lost, but only 7.5 % longer
  EXPECT_EQ(cause_of(times, 2, Kind::gpu), "interference:1.20");
}

TEST(CauseOf, ProcessorsThatAreTakenAwayAreSharedCoresOnACpuOnly) {
  LaneTimes times = hindered(150);
  times.lost_processor = 3;
  EXPECT_EQ(cause_of(times, 2, Kind::cpu), "shared-cores:3");
  EXPECT_EQ(cause_of(times, 2, Kind::gpu), "interference:1.50");
  times.lost_processor = 0;
  EXPECT_EQ(cause_of(times, 2, Kind::cpu), "interference:1.50");
}

TEST(CauseOf, AClockThatFallsTogetherIsAClockDrop) {
  LaneTimes times = hindered(130);
  times.clock_ratio = 0.8;
  EXPECT_EQ(cause_of(times, 2, Kind::gpu), "clock-drop:0.80");
}

TEST(CauseOf, AClockThatExplainsTooLittleIsNoClockDrop) {
  LaneTimes times = hindered(130);
  times.clock_ratio = 0.9;  // 11 of the 30 that are lost
  EXPECT_EQ(cause_of(times, 2, Kind::gpu), "interference:1.30");
}

TEST(CauseOf, AClockThatHardlyFallsIsNoClockDrop) {
  LaneTimes times = hindered(112);
  times.alone = {105, 105};
  times.clock_ratio = 0.96;  // 4.4 of the 7 that are lost
  EXPECT_EQ(cause_of(times, 2, Kind::gpu), "interference:1.07");
}

TEST(CauseOf, ADeviceThatIsSlowerAtAllOfTheWorkIsASlowDevice) {
  LaneTimes times = perfect();
  times.alone = {100, 150};
  times.single = {200, 300};
  times.together = 152;
  EXPECT_EQ(cause_of(times, 2, Kind::gpu), "slow-device:1.50");
}

TEST(CauseOf, ALaneThatTakesLongerOnAnEquallyFastDeviceIsNoSlowDevice) {
  LaneTimes times = perfect();
  times.alone = {100, 150};
  times.together = 152;
  EXPECT_EQ(cause_of(times, 2, Kind::gpu), "split:1.50");
  times.single = {200, 230};  // explains 15 of 50
  EXPECT_EQ(cause_of(times, 2, Kind::gpu), "split:1.50");
}

TEST(CauseOf, ADeviceThatIsHardlySlowerIsNoSlowDevice) {
  LaneTimes times = perfect();
  times.alone = {100, 115};
  times.single = {200, 218};  // explains 9 of 15
  times.together = 116;
  EXPECT_EQ(cause_of(times, 2, Kind::gpu), "split:1.15");
}

TEST(CauseOf, CopiesOfTheSlowestLaneAreTheCauseWhereTheyExplainHalf) {
  LaneTimes times = perfect();
  times.alone = {100, 160};
  times.together = 162;
  times.copies_alone = {0, 56};
  times.copies_together = 56;
  EXPECT_EQ(cause_of(times, 2, Kind::gpu), "copies:0.35");
  times.copies_alone = {56, 20};  // what the faster lane copies explains nothing
  EXPECT_EQ(cause_of(times, 2, Kind::gpu), "split:1.60");
}

TEST(CauseOf, TheLargerLossIsTold) {
  LaneTimes times = perfect();
  times.alone = {100, 120};
  times.single = {200, 240};
  times.together = 200;  // 80 lost together, 20 before
  EXPECT_EQ(cause_of(times, 2, Kind::gpu), "interference:1.67");
  times.together = 130;
  EXPECT_EQ(cause_of(times, 2, Kind::gpu), "slow-device:1.20");
}

// A device whose tasks move the clock when they are waited for, or when they are handed over.
class ScriptedDevice final : public Device {
 public:
  explicit ScriptedDevice(fakes::FakeClock& time) : time_(time) {}

  DeviceInfo info() const override { return {"scripted", Kind::gpu, 0, 0}; }
  std::span<const Fact> facts() const override { return {}; }
  std::size_t readings(std::span<Reading> into) const override {
    into[0] = {"sm_clock_mhz", clock_mhz()};
    return 1;
  }
  std::unique_ptr<Buffer> allocate(std::size_t, Memory, std::size_t) override { return nullptr; }
  std::unique_ptr<breakeven::Queue> queue() override { return nullptr; }
  bool reaches(const Device&) const override { return false; }
  void bind_thread() override { bound_threads.push_back(std::this_thread::get_id()); }

  std::function<double()> clock_mhz = [] { return 1000.0; };
  std::vector<std::thread::id> bound_threads;

 private:
  fakes::FakeClock& time_;
};

class ScriptedQueue final : public Queue {
 public:
  explicit ScriptedQueue(fakes::FakeClock& time) : time_(time) {}
  std::unique_ptr<Task> prepare(const Operation&) override { return nullptr; }
  std::unique_ptr<Task> sequence(std::span<Task* const>) override { return nullptr; }
  std::unique_ptr<Event> event() override { return nullptr; }
  void record(Event&) override {}
  void wait(const Event&) override {}
  // Queues work side by side: what another has taken meanwhile is not taken again.
  void synchronize() override {
    if (done_at > time_.time) time_.time = done_at;
  }
  std::int64_t done_at = 0;

 private:
  fakes::FakeClock& time_;
};

struct ScriptedTask final : Task {
  ScriptedTask(fakes::FakeClock& clock, ScriptedQueue& on, std::int64_t handing_over,
               std::int64_t lasts)
      : time(clock), queue(on), enqueue_ns(handing_over), work_ns(lasts) {}
  void enqueue() override {
    if (before) before(*this);
    time.time += enqueue_ns;
    queue.done_at = std::max(queue.done_at, time.time) + work_ns;
  }
  fakes::FakeClock& time;
  ScriptedQueue& queue;
  std::int64_t enqueue_ns, work_ns;
  std::function<void(ScriptedTask&)> before = {};
};

class LanesOfOneFeeder : public testing::Test {
 protected:
  fakes::FakeClock clock_;
  ScriptedDevice devices_[2] = {ScriptedDevice(clock_), ScriptedDevice(clock_)};
  ScriptedQueue queues_[2] = {ScriptedQueue(clock_), ScriptedQueue(clock_)};
  ScriptedTask works_[2] = {{clock_, queues_[0], 10, 1000}, {clock_, queues_[1], 10, 1500}};
  ScriptedTask copies_[2] = {{clock_, queues_[0], 1, 200}, {clock_, queues_[1], 1, 300}};

  Lane lane(std::size_t i) {
    return {
        &devices_[i], {{&copies_[i], &works_[i]}, {&queues_[i]}}, {{&copies_[i]}, {&queues_[i]}}};
  }
  Lane single(std::size_t i) {
    return {&devices_[i], {{&works_[i], &works_[i]}, {&queues_[i]}}, {}};
  }
};

TEST_F(LanesOfOneFeeder, AllWorkIsInsideTheClockUntilTheLastLaneIsDone) {
  Lanes lanes({lane(0), lane(1)}, {}, 1);
  const Sample sample = lanes.run(1, clock_);
  EXPECT_EQ(sample.enqueue, 22);
  EXPECT_EQ(sample.wall, 2 + 300 + 1500);  // the copies of both before the products of either
  EXPECT_EQ(lanes.run(3, clock_).enqueue, 3 * 22);
}

// As those of a GPU do: what does not fit waits, and with it whoever hands over.
class LanesOfShortQueues : public LanesOfOneFeeder {
 protected:
  static constexpr std::size_t most = 1000, count = 3000;
  static constexpr std::int64_t work_ns = 100, enqueue_ns = 2;

  void SetUp() override {
    for (std::size_t i = 0; i < 2; ++i) {
      works_[i].enqueue_ns = enqueue_ns;
      works_[i].work_ns = work_ns;
      works_[i].before = [this, i](ScriptedTask& task) {
        auto& ends = ends_[i];
        while (!ends.empty() && ends.front() <= clock_.time) ends.pop_front();
        if (ends.size() == most) {
          clock_.time = ends.front();
          ends.pop_front();
        }
        ends.push_back(std::max(task.queue.done_at, clock_.time + enqueue_ns) + work_ns);
      };
    }
  }
  Sample run(Feeding feeding) {
    std::vector<Lane> lanes;
    for (std::size_t i = 0; i < 2; ++i)
      lanes.push_back({&devices_[i], {std::vector<Task*>(count, &works_[i]), {&queues_[i]}}, {}});
    return Lanes(std::move(lanes), {}, 1, feeding).run(1, clock_);
  }

  std::deque<std::int64_t> ends_[2];
};

TEST_F(LanesOfShortQueues, AreFullAtTheSameTimeWhereTheyAreServedInTurn) {
  const double alone = count * work_ns;
  EXPECT_LT(run(Feeding::in_turn).wall, 1.01 * alone);
}

TEST_F(LanesOfShortQueues, AreEmptyInTurnWhereOneIsServedAfterTheOther) {
  const double alone = count * work_ns;
  EXPECT_GT(run(Feeding::lane_by_lane).wall, 1.6 * alone);
}

TEST_F(LanesOfShortQueues, HandingOverIsTimedAsLongAsItDoesNotWaitForTheDevice) {
  for (const Feeding feeding : {Feeding::in_turn, Feeding::lane_by_lane})
    EXPECT_EQ(run(feeding).enqueue, 2 * count * enqueue_ns);
}

TEST_F(LanesOfShortQueues, SoItIsForOneRoutine) {
  const Routine routine{std::vector<Task*>(count, &works_[0]), {&queues_[0]}};
  const Sample sample = time(routine, 1, clock_);
  EXPECT_EQ(sample.enqueue, count * enqueue_ns);
  EXPECT_GE(sample.wall, count * work_ns);
}

TEST_F(LanesOfOneFeeder, ATurnMeasuresEveryPartAloneAndAllTogether) {
  Lanes lanes({lane(0), lane(1)}, {single(0), single(1)}, 1);
  lanes.take_turn(clock_);
  const LaneTimes times = lanes.times();
  EXPECT_EQ(times.alone, (std::vector<double>{1201, 1801}));
  EXPECT_EQ(times.single, (std::vector<double>{2010, 3010}));
  EXPECT_EQ(times.copies_alone, (std::vector<double>{201, 301}));
  EXPECT_EQ(times.copies_together, 302);
  EXPECT_EQ(times.together, 1802);
  EXPECT_EQ(times.together_enqueue, 22);
  EXPECT_EQ(times.best_device(), 0U);
  EXPECT_EQ(times.best_single(), 2010);
  EXPECT_EQ(times.slowest_alone(), 1801);
}

TEST_F(LanesOfOneFeeder, OneTurnAmongManyDoesNotMoveTheTimes) {
  Lanes lanes({lane(0), lane(1)}, {single(0), single(1)}, 1);
  for (int turn = 0; turn < 5; ++turn) {
    works_[0].work_ns = turn == 2 ? 90000 : 1000;
    lanes.take_turn(clock_);
  }
  EXPECT_EQ(lanes.times().alone[0], 1201);
  EXPECT_EQ(lanes.times().together, 1802);
}

TEST_F(LanesOfOneFeeder, WhatRanBeforeDoesNotCountAgainstAPart) {
  // Whatever follows work of the other lane takes twice as long.
  ScriptedQueue* last = nullptr;
  for (ScriptedTask& work : works_)
    work.before = [&, usual = work.work_ns](ScriptedTask& task) {
      task.work_ns = last == &task.queue ? usual : 2 * usual;
      last = &task.queue;
    };
  Lanes lanes({single(0), single(1)}, {single(1), single(0)}, 1);
  lanes.take_turn(clock_);
  EXPECT_EQ(lanes.times().alone, (std::vector<double>{2010, 3010}));
  EXPECT_EQ(lanes.times().single, (std::vector<double>{3010, 2010}));
}

TEST_F(LanesOfOneFeeder, LanesWithoutCopiesHaveNoTimesOfCopies) {
  Lanes lanes({single(0), single(1)}, {single(0), single(1)}, 1);
  lanes.take_turn(clock_);
  EXPECT_TRUE(lanes.times().copies_alone.empty());
}

TEST_F(LanesOfOneFeeder, TheClockRatioIsOfTheLowestClocks) {
  int reading = 0;  // per turn: alone, then together
  devices_[1].clock_mhz = [&] { return reading++ % 2 == 0 ? 900.0 : 720.0; };
  Lanes lanes({lane(0), lane(1)}, {single(0)}, 1);
  lanes.take_turn(clock_);
  EXPECT_DOUBLE_EQ(lanes.times().clock_ratio, 0.8);
}

TEST_F(LanesOfOneFeeder, AClockThatIsNotKnownIsNoDrop) {
  for (const bool alone : {false, true}) {  // known alone, or together
    int reading = 0;
    devices_[1].clock_mhz = [&] { return (reading++ % 2 == 0) == alone ? 900.0 : 0.0; };
    Lanes lanes({lane(0), lane(1)}, {single(0)}, 1);
    lanes.take_turn(clock_);
    EXPECT_EQ(lanes.times().clock_ratio, 1);
  }
}

TEST_F(LanesOfOneFeeder, ATurnEndsWithTheCallerAtTheFirstDevice) {
  Lanes lanes({lane(0), lane(1)}, {single(0), single(1)}, 1);
  lanes.take_turn(clock_);
  const std::size_t first = devices_[0].bound_threads.size();
  EXPECT_EQ(devices_[1].bound_threads.size() + 1, first);
}

// Tasks that note which thread handed them over.
struct NotingTask final : Task {
  void enqueue() override {
    const std::lock_guard lock(mutex);
    threads.push_back(std::this_thread::get_id());
    if (fails) throw std::runtime_error("a call failed on GPU 1");
  }
  std::mutex mutex;
  std::vector<std::thread::id> threads;
  bool fails = false;
};

class CountingQueue final : public Queue {
 public:
  std::unique_ptr<Task> prepare(const Operation&) override { return nullptr; }
  std::unique_ptr<Task> sequence(std::span<Task* const>) override { return nullptr; }
  std::unique_ptr<Event> event() override { return nullptr; }
  void record(Event&) override {}
  void wait(const Event&) override {}
  void synchronize() override { ++waits; }
  std::atomic<int> waits{0};
};

class LanesOfTwoFeeders : public testing::Test {
 protected:
  fakes::FakeClock unused_;
  ScriptedDevice devices_[2] = {ScriptedDevice(unused_), ScriptedDevice(unused_)};
  NotingTask tasks_[2];
  CountingQueue queues_[2];
  std::vector<Lane> lanes() {
    return {{&devices_[0], {{&tasks_[0]}, {&queues_[0]}}, {}},
            {&devices_[1], {{&tasks_[1]}, {&queues_[1]}}, {}}};
  }
};

TEST_F(LanesOfTwoFeeders, EachLaneIsFedByAThreadOfItsOwnThatIsBoundToItsDevice) {
  Lanes lanes(this->lanes(), {}, 2);
  lanes.run(3, steady_clock());
  lanes.run(1, steady_clock());
  ASSERT_EQ(tasks_[0].threads.size(), 4U);
  ASSERT_EQ(tasks_[1].threads.size(), 4U);
  for (const auto& thread : tasks_[0].threads) EXPECT_EQ(thread, std::this_thread::get_id());
  for (const auto& thread : tasks_[1].threads) EXPECT_EQ(thread, tasks_[1].threads.front());
  EXPECT_NE(tasks_[1].threads.front(), std::this_thread::get_id());
  EXPECT_EQ(devices_[1].bound_threads, std::vector{tasks_[1].threads.front()});
  EXPECT_EQ(queues_[0].waits, 2);
  EXPECT_EQ(queues_[1].waits, 2);
}

TEST_F(LanesOfTwoFeeders, AFailureOfOneLaneIsThrownAfterTheOthersAreDone) {
  Lanes lanes(this->lanes(), {}, 2);
  tasks_[1].fails = true;
  try {
    lanes.run(1, steady_clock());
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "a call failed on GPU 1");
  }
  EXPECT_EQ(queues_[0].waits, 1);
  tasks_[1].fails = false;
  lanes.run(1, steady_clock());
  EXPECT_EQ(queues_[1].waits, 1);
}

}  // namespace
}  // namespace breakeven
