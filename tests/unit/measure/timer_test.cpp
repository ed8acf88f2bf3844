// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/timer.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace breakeven {
namespace {

// Reads `step`-wide ticks of a time that moves by `cost` with every reading, and a little unevenly.
class TickingClock final : public Clock {
 public:
  TickingClock(std::int64_t step, std::int64_t cost, std::int64_t jitter)
      : step_(step), cost_(cost), jitter_(jitter) {}
  std::int64_t now() noexcept override {
    time_ += cost_ + (jitter_ ? ++readings_ % 7 * jitter_ : 0);
    return time_ / step_ * step_;
  }

 private:
  std::int64_t step_, cost_, jitter_, time_ = 0, readings_ = 0;
};

TEST(Timer, ClockThatRepeatsItselfHasItsStepAsResolution) {
  TickingClock clock(100, 20, 0);
  EXPECT_EQ(measure_timer(clock).resolution_ns, 100);
}

TEST(Timer, ClockFinerThanItsReadingShowsItsStep) {
  TickingClock clock(1, 25, 1);
  EXPECT_EQ(measure_timer(clock).resolution_ns, 1);
}

TEST(Timer, OverheadIsThatOfOneReading) {
  TickingClock clock(1, 25, 0);
  EXPECT_EQ(measure_timer(clock).overhead_ns, 25);
}

TEST(Timer, ClockThatStandsStillNeedsNoLength) {
  TickingClock clock(1, 0, 0);
  EXPECT_EQ(shortest_sample_ns(measure_timer(clock)), 0);
}

TEST(Timer, ShortestSampleHasThousandTicksAndHundredReadings) {
  EXPECT_EQ(shortest_sample_ns({1, 20}), 2000);
  EXPECT_EQ(shortest_sample_ns({100, 20}), 100000);
}

TEST(Timer, SteadyClockNeverGoesBack) {
  Clock& clock = steady_clock();
  std::int64_t before = clock.now();
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t now = clock.now();
    EXPECT_GE(now, before);
    before = now;
  }
}

}  // namespace
}  // namespace breakeven
