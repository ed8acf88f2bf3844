// SPDX-License-Identifier: Apache-2.0
// Time spent in handing over, on the device, or in waiting shows in its own clock and no other, for
// a real case on a device that takes as long as it is told.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "suite/cases/all_cases.hpp"
#include "suite/measure/sampler.hpp"
#include "suite/model/case.hpp"
#include "tests/self/timed_backend.hpp"

namespace breakeven {
namespace {

const Case& matmul() {
  const auto cases = all_cases();
  return **std::find_if(cases.begin(), cases.end(),
                        [](const Case* one) { return one->name() == "matmul"; });
}

struct Clocks {
  double wall = 0, enqueue = 0, device = 0;
};

Clocks measure(const timed::Times& times, std::size_t count = 0, std::int64_t reading_ns = 0) {
  fakes::FakeClock clock;
  clock.reading_ns = reading_ns;
  timed::TimedBackend backend(clock, times);
  Session session{backend, 1};
  Key key;
  key.case_name = "matmul";
  key.mode = count > 0 ? "amortised" : "resident";
  key.m = key.n = key.k = 4;
  key.batch = 1;
  key.count = count;
  const auto work = matmul().prepare(key, session);
  // As many samples as fit, so that a sample is one run.
  Sampler sampler(*work, clock, measure_timer(clock), nullptr, {.samples = 4096});
  sampler.calibrate();
  const Sample sample = sampler.take();
  return {sample.wall, sample.enqueue, sampler.take_on_device().value_or(-1)};
}

constexpr timed::Times usual{3000, 20000, 1000};
constexpr double ring = 16;  // products of this size that take turns

TEST(Clocks, WallHoldsAllAndTheOthersTheirPart) {
  const Clocks clocks = measure(usual);
  EXPECT_EQ(clocks.wall, 24000);
  EXPECT_EQ(clocks.enqueue, 3000);
  // The device waits for the host once in a ring of products.
  EXPECT_NEAR(clocks.device, 20000 + 3000. / ring, 1e-6);
}

TEST(Clocks, SleepInHandingOver) {
  timed::Times slow = usual;
  slow.enqueue_ns += 7000;
  const Clocks clocks = measure(slow);
  EXPECT_EQ(clocks.wall, 24000 + 7000);
  EXPECT_EQ(clocks.enqueue, 3000 + 7000);
}

TEST(Clocks, SleepOnTheDevice) {
  timed::Times slow = usual;
  slow.device_ns += 7000;
  const Clocks clocks = measure(slow);
  EXPECT_EQ(clocks.wall, 24000 + 7000);
  EXPECT_EQ(clocks.enqueue, 3000);
  EXPECT_NEAR(clocks.device, 20000 + 7000 + 3000. / ring, 1e-6);
}

TEST(Clocks, SleepInTheWait) {
  timed::Times slow = usual;
  slow.wait_ns += 7000;
  const Clocks clocks = measure(slow);
  EXPECT_EQ(clocks.wall, 24000 + 7000);
  EXPECT_EQ(clocks.enqueue, 3000);
  EXPECT_NEAR(clocks.device, 20000 + 3000. / ring, 1e-6);
}

TEST(Clocks, ManyQueuedProductsHideTheHandingOver) {
  const Clocks clocks = measure(usual, 10);
  EXPECT_EQ(clocks.wall, 3000 + 10 * 20000 + 1000);
  EXPECT_EQ(clocks.enqueue, 10 * 3000);
  EXPECT_NEAR(clocks.device, 3000 + 10 * 20000, 1e-6);
}

TEST(Clocks, TheClockItselfShowsInNone) {
  // While the device works, the host reads the clock for nothing: taking that reading out as well
  // is one too many.
  const Clocks clocks = measure(usual, 0, 50);
  EXPECT_LE(clocks.wall, 24000);
  EXPECT_GE(clocks.wall, 24000 - 50);
  EXPECT_NEAR(clocks.enqueue, 3000, 1e-9);
}

TEST(Clocks, ShortWorkInBatchesKeepsItsTime) {
  const Clocks clocks = measure({40, 0, 2}, 0, 20);
  EXPECT_NEAR(clocks.wall, 42, 1e-9);
  EXPECT_NEAR(clocks.enqueue, 40, 1e-9);
}

}  // namespace
}  // namespace breakeven
