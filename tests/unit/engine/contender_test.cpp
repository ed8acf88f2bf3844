// SPDX-License-Identifier: Apache-2.0
#include "suite/engine/contender.hpp"

#include <gtest/gtest.h>

namespace breakeven {
namespace {

Contender measured() {
  Contender run;
  run.visits = {{{1, 2}, {1, 1}, {}}};
  run.visit_medians = {1.5};
  run.visit_noise = {0};
  run.sweeps = {0};
  run.ready = true;
  run.joules = 3;
  run.power_throttle_ns = 4;
  run.spent_ns = 5;
  run.stop = StopReason::budget;
  return run;
}

// Its visits are gone: what they cost would be counted for those that follow.
TEST(Contender, StartingAgainForgetsWhatTheVisitsToldAndCost) {
  Contender run = measured();
  run.restart();
  EXPECT_TRUE(run.visits.empty() && run.visit_medians.empty() && run.visit_noise.empty() &&
              run.sweeps.empty());
  EXPECT_FALSE(run.ready);
  EXPECT_EQ(run.joules, 0);
  EXPECT_EQ(run.power_throttle_ns, 0);
  EXPECT_EQ(run.spent_ns, 0);
  EXPECT_FALSE(run.stop);
}

TEST(Contender, EndingWithoutATimeLeavesNoTimeBehind) {
  Contender run = measured();
  run.end(Status::crashed, "gone");
  EXPECT_TRUE(run.done);
  EXPECT_TRUE(run.visits.empty() && run.visit_medians.empty());
  EXPECT_FALSE(run.stop);
}

}  // namespace
}  // namespace breakeven
