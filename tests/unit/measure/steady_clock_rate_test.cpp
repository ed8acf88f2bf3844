// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/steady_clock_rate.hpp"

#include <gtest/gtest.h>

#include "tests/fakes.hpp"

namespace breakeven {
namespace {

// Works at 200 MHz for 30 ms, then faster by 20 MHz a millisecond up to 1800, from the beginning
// again after a rest.
class SteadyClockRateTest : public testing::Test {
 protected:
  fakes::FakeClock clock_;
  SteadyClockRate rate_{clock_};
  double worked_ms_ = 0, ramps_after_ms_ = 30;

  double mhz() const {
    return std::clamp(200 + 20 * (worked_ms_ - ramps_after_ms_), 200.0, 1800.0);
  }
  bool reach() {
    return rate_.reach(
        [&] {
          clock_.time += 500'000;
          worked_ms_ += 0.5;
        },
        [&] { return std::optional(mhz()); });
  }
};

TEST_F(SteadyClockRateTest, AnIdleClockThatStandsIsNotTakenForASteadyOne) {
  EXPECT_TRUE(reach());
  EXPECT_EQ(mhz(), 1800);
}

TEST_F(SteadyClockRateTest, AfterARestItIsReachedAgainAndWithoutOneNothingIsDone) {
  reach();
  worked_ms_ = 0;
  EXPECT_TRUE(reach());
  EXPECT_NEAR(mhz(), 1800, 0.015 * 1800);
  const double worked = worked_ms_;
  EXPECT_TRUE(reach());
  EXPECT_EQ(worked_ms_, worked);
}

TEST_F(SteadyClockRateTest, AClockThatNeverStandsIsSaid) {
  double reading = 1000;
  EXPECT_FALSE(rate_.reach([&] { clock_.time += 1'000'000; },
                           [&] { return std::optional(reading *= 1.1); }));
  EXPECT_LT(clock_.time, 400'000'000);
}

TEST_F(SteadyClockRateTest, WithoutAClockNothingIsDone) {
  EXPECT_TRUE(rate_.reach([] { FAIL(); }, [] { return std::optional<double>(); }));
}

}  // namespace
}  // namespace breakeven
