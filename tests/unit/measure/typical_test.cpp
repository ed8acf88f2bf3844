// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/typical.hpp"

#include <gtest/gtest.h>

namespace breakeven {
namespace {

TEST(Typical, IsTheMedianNotTheBest) {
  EXPECT_EQ(typical_of({100, 98, 96}), 98);
  EXPECT_EQ(typical_of({7}), 7);
}

TEST(Typical, IsNotMovedByOneWindowThatIsTooFast) {
  EXPECT_EQ(typical_of({98, 97, 96, 115}), 97.5);
}

TEST(Typical, LeavesOutWhatOtherWorkDisturbed) {
  EXPECT_EQ(typical_of({50, 100, 98, 40, 96, 60}), 98);
  EXPECT_EQ(typical_of({0, 0, 0, 10}), 10);
}

}  // namespace
}  // namespace breakeven
