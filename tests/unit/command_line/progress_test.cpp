// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/progress.hpp"

#include <gtest/gtest.h>

namespace breakeven {
namespace {

TEST(SecondsLeft, GoOnAsFastAsSoFarAndEndWithTheBudget) {
  EXPECT_EQ(seconds_left(10, 5, 20, 0), 30);
  EXPECT_EQ(seconds_left(10, 5, 20, 100), 30);
  EXPECT_EQ(seconds_left(10, 5, 20, 25), 15);
  EXPECT_EQ(seconds_left(30, 5, 20, 25), 0);
  EXPECT_EQ(seconds_left(10, 0, 2, 0), 20);
}

}  // namespace
}  // namespace breakeven
