// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/rounds.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace breakeven {
namespace {

using Rounds = std::vector<std::vector<double>>;

std::vector<double> around(double median) {
  return {median * 1.01, median * 0.98, median * 1.02, median, median * 0.99, median, median};
}

TEST(Rounds, MedianIsThatOfTheRoundsMedians) {
  // Pooling the visits would let the round with the most of them decide.
  const Rounds rounds{{100, 100, 100}, {110, 110, 110}, {130, 130, 130, 130, 130, 130, 130}};
  EXPECT_EQ(merge_rounds(rounds).median_ns, 110);
}

TEST(Rounds, FewerThanThreeSayThatTheyAreTooFew) {
  const MergedRounds one = merge_rounds(Rounds{around(100)});
  EXPECT_EQ(one.caution,
            "1 round: the interval says nothing about another process; use --rounds 5");
  EXPECT_EQ(one.low_ns, 98);
  EXPECT_EQ(one.high_ns, 102);
  EXPECT_NE(merge_rounds(Rounds{around(100), around(103)}).caution, "");
}

TEST(Rounds, IntervalOfTwoHoldsBothRounds) {
  const MergedRounds two = merge_rounds(Rounds{around(100), around(110)});
  EXPECT_EQ(two.low_ns, 98);
  EXPECT_NEAR(two.high_ns, 112.2, 1e-9);
}

TEST(Rounds, FromThreeOnTheIntervalIsThatOfTheProcesses) {
  const MergedRounds three = merge_rounds(Rounds{around(99), around(100), around(101)});
  EXPECT_EQ(three.caution, "");
  EXPECT_EQ(three.rounds, 3u);
  // t with 2 degrees of freedom: 4.303 * 1 % / sqrt(3) on either side.
  EXPECT_NEAR(three.low_ns, 97.55, 0.05);
  EXPECT_NEAR(three.high_ns, 102.5, 0.05);
  EXPECT_NEAR(three.between_rounds, 0.01, 1e-4);
}

TEST(Rounds, OfTooFewVisitsHaveNoInterval) {
  const MergedRounds one = merge_rounds(Rounds{{100}});
  EXPECT_EQ(one.median_ns, 100);
  EXPECT_EQ(one.low_ns, 0);
  EXPECT_EQ(one.high_ns, 0);
  EXPECT_EQ(merge_rounds(Rounds{around(100), {100, 101}}).high_ns, 0);
  EXPECT_GT(merge_rounds(Rounds{{99}, {100}, {101}}).low_ns, 0);  // three processes are enough
}

TEST(Rounds, WithoutVisitsAreLeftOut) {
  EXPECT_EQ(merge_rounds(Rounds{{}, around(100)}).rounds, 1u);
  EXPECT_THROW(merge_rounds(Rounds{{}}), std::invalid_argument);
}

}  // namespace
}  // namespace breakeven
