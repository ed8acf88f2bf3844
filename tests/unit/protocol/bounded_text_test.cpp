// SPDX-License-Identifier: Apache-2.0
#include "suite/protocol/bounded_text.hpp"

#include <gtest/gtest.h>

namespace breakeven {
namespace {

TEST(BoundedText, KeepsShortTextWhole) {
  BoundedText text(16);
  text.append("hello ");
  text.append("world");
  EXPECT_EQ(text.take(), "hello world");
  EXPECT_EQ(text.take(), "");
}

TEST(BoundedText, KeepsBeginningAndEndOfLongText) {
  BoundedText text(8);
  text.append("abcd");
  for (int i = 0; i < 1000; ++i) text.append("x");
  text.append("wxyz");
  EXPECT_EQ(text.take(), "abcd\n[... 1000 bytes ...]\nwxyz");
}

TEST(BoundedText, NeverHoldsMuchMoreThanItMay) {
  BoundedText text(8);
  text.append(std::string(1'000'000, 'x'));
  EXPECT_LT(text.take().size(), 100u);
}

}  // namespace
}  // namespace breakeven
