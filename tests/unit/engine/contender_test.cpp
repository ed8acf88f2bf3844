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
  run.metered = {3, 1};
  run.sm_clocks_mhz = {1000};
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
  EXPECT_FALSE(run.metered.joules);
  EXPECT_TRUE(run.sm_clocks_mhz.empty());
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

TEST(Contender, ClaimsWhatItsSamplesTakeThatAreNoAudits) {
  Contender run;
  run.visits = {{{100, 110, 105}, {}, {}}, {{900}, {}, {}}};
  run.audited = {false, true};
  EXPECT_EQ(run.claimed_ns(), 105);
  run.audited = {true, true};
  EXPECT_EQ(run.claimed_ns(), 107.5);
}

TEST(Audit, IsSlowBesideItsOwnKindAndBeyondWakingThreadsBesideTheClaim) {
  EXPECT_FALSE(is_slow({3, 199, 100, 0}, 10));  // a moment in which all took longer
  EXPECT_TRUE(is_slow({3, 201, 100, 0}, 200));
  EXPECT_TRUE(is_slow({1, 201, 0, 0}, 100));  // long work has nothing of its kind beside it
  EXPECT_FALSE(is_slow({1, 199, 0, 0}, 100));
  EXPECT_TRUE(is_slow({3, 5e6, 4e6, 0}, 1e6));
  EXPECT_FALSE(is_slow({3, 2.9e6, 2e6, 0}, 1e6));
  EXPECT_FALSE(is_slow({3, 5e6, 4e6, 0, 2.1e6}, 1e6));  // as long as before, with nothing new
  EXPECT_TRUE(is_slow({3, 5e6, 4e6, 0, 1.9e6}, 1e6));
  EXPECT_TRUE(is_slow({3, 5e6, 2e6, 0, 2.1e6}, 1e6));  // but not beside it
}

TEST(Audit, IsSlowAsAWholeWhereWhatStandsBesideItIsToo) {
  EXPECT_TRUE(is_slow_as_a_whole({3, 5e6, 4e6, 0}, 1e6));
  EXPECT_FALSE(is_slow_as_a_whole({3, 5e6, 2e6, 0}, 1e6));  // it alone
  EXPECT_FALSE(is_slow_as_a_whole({3, 2.9e6, 2e6, 0}, 1e6));
}

}  // namespace
}  // namespace breakeven
