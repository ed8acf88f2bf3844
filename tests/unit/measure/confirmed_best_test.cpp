// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/confirmed_best.hpp"

#include <gtest/gtest.h>

namespace breakeven {
namespace {

ConfirmedBest after(std::initializer_list<double> rates) {
  ConfirmedBest best;
  for (const double rate : rates) best.saw(rate);
  return best;
}

TEST(ConfirmedBest, IsBelievedWhenTheOneNextToItAgrees) {
  EXPECT_FALSE(after({}).is_confirmed());
  EXPECT_FALSE(after({100}).is_confirmed());
  EXPECT_FALSE(after({100, 97}).is_confirmed());
  EXPECT_TRUE(after({100, 97, 99}).is_confirmed());
  EXPECT_TRUE(after({99, 100}).is_confirmed());
}

TEST(ConfirmedBest, IsNeverLoweredByAPassThatWasDisturbed) {
  EXPECT_EQ(after({50, 100, 60}).value(), 100);
  EXPECT_FALSE(after({50, 100, 60}).is_confirmed());
  EXPECT_FALSE(after({60, 60, 100}).is_confirmed());
  EXPECT_TRUE(after({60, 100, 60, 100}).is_confirmed());
}

}  // namespace
}  // namespace breakeven
