// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/sampler.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "tests/fakes.hpp"

namespace breakeven {
namespace {

using fakes::FakeCase;
using fakes::FakeClock;

constexpr Timer fine{2, 0};  // of a clock that costs nothing; samples of 2 us and more

struct SamplerTest : testing::Test {
  FakeClock clock;
  FakeCase work{clock};
};

struct CountedFlush final : CacheFlush {
  explicit CountedFlush(FakeClock& time) : clock(time) {}
  void flush() override {
    ++flushes;
    clock.time += 10'000'000;
  }
  FakeClock& clock;
  int flushes = 0;
};

TEST_F(SamplerTest, ShortWorkIsBatchedUntilTheClockIsGoodEnough) {
  work.enqueue_ns = [](std::size_t) { return 7.0; };
  Sampler sampler(work, clock, fine, nullptr, {.samples = 4096});
  const Calibration& plan = sampler.calibrate();
  EXPECT_GE(plan.repetitions * 7.0, 2000);
  EXPECT_LE(plan.repetitions * 7.0, 4000);
  EXPECT_NEAR(sampler.take().wall, 7.0, 0.01);
}

TEST_F(SamplerTest, CoarseClockNeedsLongerSamples) {
  work.enqueue_ns = [](std::size_t) { return 7.0; };
  Sampler sampler(work, clock, Timer{100, 0});
  EXPECT_GE(sampler.calibrate().repetitions * 7.0, 100'000);
}

TEST_F(SamplerTest, WorkThatTakesNoTimeSaysSo) {
  Sampler sampler(work, clock, fine);
  EXPECT_EQ(sampler.calibrate().reason, "takes no time that the clock can show");
}

TEST_F(SamplerTest, LongWorkIsNotBatchedAndIsAVisitOfOneSample) {
  work.wait_ns = [](std::size_t) { return 8e6; };
  Sampler sampler(work, clock, fine);
  EXPECT_EQ(sampler.calibrate().repetitions, 1u);
  EXPECT_EQ(sampler.calibration().samples, 1u);
}

TEST_F(SamplerTest, VisitIsABlockOfAtLeastFiveMilliseconds) {
  work.wait_ns = [](std::size_t) { return 110e3; };
  Sampler sampler(work, clock, fine);
  sampler.calibrate();
  EXPECT_EQ(sampler.calibration().repetitions, 1u);
  EXPECT_EQ(sampler.calibration().samples, 46u);
}

TEST_F(SamplerTest, SamplesOfAVisitAreBounded) {
  work.wait_ns = [](std::size_t) { return 50.0; };
  Sampler sampler(work, clock, fine);
  EXPECT_EQ(sampler.calibrate().samples, SamplerLimits{}.samples);
  EXPECT_GE(static_cast<double>(sampler.calibration().samples) * sampler.calibration().sample_ns,
            SamplerLimits{}.visit_ns);
}

TEST_F(SamplerTest, WarmsUpUntilWorkIsNoLongerGettingFaster) {
  // Each run is 5 % faster than the one before, down to 2 ms after 40 runs.
  work.wait_ns = [](std::size_t run) {
    return 2e6 * std::pow(1.05, run < 40 ? static_cast<double>(40 - run) : 0);
  };
  Sampler sampler(work, clock, fine, nullptr, {.warm_up_ns = 1e12});
  sampler.calibrate();
  EXPECT_TRUE(sampler.calibration().steady);
  EXPECT_GE(work.runs, 40u);
  EXPECT_NEAR(sampler.calibration().sample_ns, 2e6, 1);
}

TEST_F(SamplerTest, ALullIsNotTakenForTheEndOfWarmingUp) {
  work.wait_ns = [](std::size_t run) { return run < 4 ? 4e6 : 2e6; };
  Sampler sampler(work, clock, fine);
  sampler.calibrate();
  EXPECT_TRUE(sampler.calibration().steady);
  EXPECT_EQ(sampler.calibration().sample_ns, 2e6);
}

TEST_F(SamplerTest, WarmUpEndsAtItsLimitAndSaysSo) {
  work.wait_ns = [](std::size_t run) { return 1e9 / std::pow(1.05, static_cast<double>(run)); };
  Sampler sampler(work, clock, fine, nullptr, {.warm_up_ns = 5e9});
  EXPECT_FALSE(sampler.calibrate().steady);
  EXPECT_LT(clock.time, 8e9);
}

TEST_F(SamplerTest, ARuntimeThatCompilesInTheFirstRunIsNotTakenForSlow) {
  work.wait_ns = [](std::size_t run) { return run == 0 ? 1e9 : 10e3; };
  Sampler sampler(work, clock, fine);
  EXPECT_LT(sampler.calibrate().sample_ns, 1e6);
  EXPECT_TRUE(sampler.calibration().steady);
}

TEST_F(SamplerTest, WorkThatTakesSecondsIsRunOnce) {
  work.wait_ns = [](std::size_t) { return 3e9; };
  Sampler sampler(work, clock, fine);
  EXPECT_EQ(sampler.calibrate().sample_ns, 3e9);
  EXPECT_FALSE(sampler.calibration().steady);
  EXPECT_EQ(work.runs, 1u);
}

TEST_F(SamplerTest, WorkThatIsNotRepeatableIsUntouched) {
  work.batches = false;
  Sampler sampler(work, clock, fine);
  sampler.calibrate();
  sampler.begin_visit();
  EXPECT_EQ(work.runs, 0u);
  sampler.take();
  EXPECT_EQ(work.repetitions_run, 1u);
}

TEST_F(SamplerTest, ColdSamplesAreFlushedOutsideTheClock) {
  work.wait_ns = [](std::size_t) { return 1e5; };
  CountedFlush flush(clock);
  Sampler sampler(work, clock, fine, &flush);
  EXPECT_EQ(sampler.calibrate().reason, "");
  EXPECT_EQ(sampler.calibration().repetitions, 1u);
  const int before = flush.flushes;
  EXPECT_EQ(sampler.take().wall, 1e5);
  EXPECT_EQ(flush.flushes, before + 1);
}

TEST_F(SamplerTest, ColdWorkTooShortForTheClockSaysSo) {
  work.wait_ns = [](std::size_t) { return 400.0; };
  CountedFlush flush(clock);
  Sampler sampler(work, clock, fine, &flush);
  EXPECT_EQ(sampler.calibrate().reason,
            "one run of 0.4 us is too short for the clock (needs 2 us): no cold case");
}

TEST_F(SamplerTest, VisitBeginsWithARunThatIsThrownAway) {
  work.wait_ns = [](std::size_t) { return 1e6; };
  Sampler sampler(work, clock, fine);
  sampler.calibrate();
  const std::size_t before = work.runs;
  sampler.begin_visit();
  EXPECT_EQ(work.runs, before + 1);
}

TEST_F(SamplerTest, WhatReadingTheClockCostsIsTakenOut) {
  clock.reading_ns = 20;
  work.enqueue_ns = [](std::size_t) { return 3000.0; };
  work.wait_ns = [](std::size_t) { return 1000.0; };
  Sampler sampler(work, clock, measure_timer(clock));
  sampler.calibrate();
  EXPECT_EQ(sampler.take().wall, 4000);
  EXPECT_EQ(sampler.take().enqueue, 3000);
}

// Hands over and waits in turn, and reads the clock around the first handing over only.
class AlternatingCase final : public PreparedCase {
 public:
  AlternatingCase(FakeClock& time, std::int64_t ns) : time_(time), ns_(ns) {}
  Work work() const override { return {}; }
  Sample run(std::size_t repetitions, Clock& clock) override {
    const std::int64_t start = clock.now();
    time_.time += ns_;
    const std::int64_t handed_over = clock.now();
    time_.time += ns_ + 2 * ns_ * static_cast<std::int64_t>(repetitions - 1);
    const std::int64_t done = clock.now();
    const double count = static_cast<double>(repetitions);
    return {static_cast<double>(done - start), static_cast<double>(handed_over - start) * count,
            count};
  }
  std::optional<double> run_on_device_clock(std::size_t) override { return std::nullopt; }
  Verification verify() override { return {}; }
  Verification verify_last() override { return {}; }

 private:
  FakeClock& time_;
  std::int64_t ns_;
};

TEST_F(SamplerTest, WhatReadingTheClockCostsIsTakenOutAsOftenAsItWasCounted) {
  clock.reading_ns = 20;
  AlternatingCase alternating(clock, 30);
  Sampler sampler(alternating, clock, measure_timer(clock));
  EXPECT_GT(sampler.calibrate().repetitions, 30u);
  const Sample sample = sampler.take();
  EXPECT_NEAR(sample.wall, 60, 1e-9);
  EXPECT_NEAR(sample.enqueue, 30, 1e-9);
}

// Computes when its result is read, from the second run on.
class LazyCase final : public PreparedCase {
 public:
  explicit LazyCase(FakeClock& time) : time_(time) {}
  Work work() const override { return {}; }
  Sample run(std::size_t repetitions, Clock& clock) override {
    const std::int64_t start = clock.now();
    time_.time += 1000 * static_cast<std::int64_t>(repetitions);
    pending_ = true;
    const auto wall = static_cast<double>(clock.now() - start);
    return {wall, wall};
  }
  bool renew() override { return true; }
  bool read_results() override {
    time_.time += std::exchange(pending_, false) ? 90'500 : 10'000;
    return written;
  }
  std::optional<double> run_on_device_clock(std::size_t) override { return std::nullopt; }
  Verification verify() override { return {}; }
  Verification verify_last() override { return {}; }
  std::size_t ring() const override { return 4; }
  bool written = true;

 private:
  FakeClock& time_;
  bool pending_ = false;
};

TEST_F(SamplerTest, AnAuditReadsTwiceToTellWhatIsPutOff) {
  LazyCase lazy(clock);
  Sampler sampler(lazy, clock, fine);
  EXPECT_EQ(sampler.calibrate().repetitions % 4, 0u);
  const auto audited = sampler.take_audited();
  ASSERT_TRUE(audited);
  EXPECT_NEAR(audited->sample.wall, 1000, 1e-9);
  EXPECT_NEAR(audited->read_ns, 90'500, 1e-9);
  EXPECT_NEAR(audited->read_again_ns, 10'000, 1e-9);
  EXPECT_TRUE(audited->written);
  lazy.written = false;
  EXPECT_FALSE(sampler.take_audited()->written);
}

// The first sees that results were read.
TEST_F(SamplerTest, BesideAnAuditTheSecondRunCounts) {
  work.enqueue_ns = [runs = 0](std::size_t) mutable { return runs++ == 0 ? 900.0 : 100.0; };
  EXPECT_NEAR(Sampler(work, clock, fine).take_beside_audited(1e6), 100, 1e-9);
}

TEST_F(SamplerTest, BehindAnAuditARepetitionTakesWhatMostDoInSoLongATime) {
  work.enqueue_ns = [runs = 0](std::size_t) mutable { return runs++ < 10 ? 900.0 : 100.0; };
  EXPECT_NEAR(Sampler(work, clock, fine).take_on(9500), 900, 1e-9);
  EXPECT_NEAR(Sampler(work, clock, fine).take_on(9500), 100, 1e-9);
}

TEST_F(SamplerTest, WhatHasNothingToRenewIsNotAudited) {
  EXPECT_FALSE(Sampler(work, clock, fine).take_audited());
}

TEST_F(SamplerTest, DeviceClockIsPerRepetitionAndOptional) {
  work.enqueue_ns = [](std::size_t) { return 100.0; };
  Sampler sampler(work, clock, fine);
  sampler.calibrate();
  EXPECT_FALSE(sampler.take_on_device());
  work.device_ns = 90;
  EXPECT_NEAR(*sampler.take_on_device(), 90, 1e-9);
}

}  // namespace
}  // namespace breakeven
