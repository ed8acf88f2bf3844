// SPDX-License-Identifier: Apache-2.0
#include "suite/run/case_run.hpp"

#include <gtest/gtest.h>

namespace breakeven {
namespace {

CaseRun measured() {
  CaseRun run;
  run.visits = {{{1, 2}, {1, 1}, {}}};
  run.visit_medians = {1.5};
  run.visit_noise = {0};
  run.joules = 3;
  run.power_throttle_ns = 4;
  run.spent_ns = 5;
  run.stop = StopReason::budget;
  return run;
}

// Its visits are gone: what they cost would be counted for those that follow.
TEST(CaseRun, StartingAgainForgetsWhatTheVisitsToldAndCost) {
  CaseRun run = measured();
  run.restart();
  EXPECT_TRUE(run.visits.empty() && run.visit_medians.empty() && run.visit_noise.empty());
  EXPECT_EQ(run.joules, 0);
  EXPECT_EQ(run.power_throttle_ns, 0);
  EXPECT_EQ(run.spent_ns, 0);
  EXPECT_FALSE(run.stop);
}

TEST(CaseRun, EndingWithoutATimeLeavesNoTimeBehind) {
  CaseRun run = measured();
  run.end(Status::crashed, "gone");
  EXPECT_TRUE(run.done);
  EXPECT_TRUE(run.visits.empty() && run.visit_medians.empty());
  EXPECT_FALSE(run.stop);
}

}  // namespace
}  // namespace breakeven
