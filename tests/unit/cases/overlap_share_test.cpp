// SPDX-License-Identifier: Apache-2.0
#include "suite/cases/overlap_share.hpp"

#include <gtest/gtest.h>

namespace breakeven {
namespace {

// Eleven turns, each a little longer than the one before, as on a machine that warms up.
OverlapTimes turns(double compute, double copy, double in_order, double overlapped) {
  OverlapTimes times;
  for (int turn = 0; turn < 11; ++turn) {
    const double drift = 1 + 0.01 * turn;
    times.compute.push_back(compute * drift);
    times.copy.push_back(copy * drift);
    times.in_order.push_back(in_order * drift);
    times.overlapped.push_back(overlapped * drift);
  }
  return times;
}

TEST(OverlapShare, IsWhatWasGainedOfWhatTheShorterPartTakes) {
  EXPECT_NEAR(overlap_share(turns(100, 60, 160, 115)).share.value(), 45. / 60, 1e-9);
  EXPECT_NEAR(overlap_share(turns(60, 100, 160, 100)).share.value(), 1, 1e-9);
}

TEST(OverlapShare, IsNegativeWhereOverlappingCostsTime) {
  EXPECT_NEAR(overlap_share(turns(100, 60, 160, 190)).share.value(), -0.5, 1e-9);
}

TEST(OverlapShare, OneDisturbedTurnDoesNotMoveIt) {
  OverlapTimes times = turns(100, 60, 160, 130);
  times.in_order[5] = 100000;
  EXPECT_NEAR(overlap_share(times).share.value(), 0.5, 0.02);
}

TEST(OverlapShare, AShortPartLeavesNothingToGain) {
  const OverlapShare found = overlap_share(turns(1000, 19, 1100, 1000));
  EXPECT_FALSE(found.share);
  EXPECT_EQ(found.unknown, "nothing-to-gain");
  EXPECT_TRUE(overlap_share(turns(1000, 23, 1100, 1000)).share);
}

TEST(OverlapShare, APartThatHidesInOrderAlreadyLeavesNothingToGain) {
  EXPECT_EQ(overlap_share(turns(100, 60, 99, 98)).unknown, "nothing-to-gain");
}

TEST(OverlapShare, AGainThatSwingsByHalfOfThePossibleIsNoise) {
  OverlapTimes times = turns(1000, 30, 1030, 1020);
  for (std::size_t turn = 0; turn < times.overlapped.size(); ++turn)
    times.overlapped[turn] += turn % 2 == 0 ? 15 : -15;
  const OverlapShare found = overlap_share(times);
  EXPECT_FALSE(found.share);
  EXPECT_EQ(found.unknown, "noise");
}

TEST(OverlapShare, TooFewTurnsForAnIntervalAreNoise) {
  OverlapTimes times = turns(100, 60, 160, 115);
  for (auto* seen : {&times.compute, &times.copy, &times.in_order, &times.overlapped})
    seen->resize(5);
  EXPECT_EQ(overlap_share(times).unknown, "noise");
}

}  // namespace
}  // namespace breakeven
