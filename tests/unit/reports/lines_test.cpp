// SPDX-License-Identifier: Apache-2.0
#include "reports/text/lines.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace breakeven {
namespace {

TEST(Lines, are_as_wide_as_the_terminal) {
  EXPECT_EQ(Lines(10).wrapped("one two three", 2), "  one two\n  three");
  EXPECT_EQ(Lines(9).wrapped("one two", 2), "  one two");
  EXPECT_EQ(Lines(8).wrapped("one two", 2), "  one\n  two");
}

TEST(Lines, count_what_is_shown) {
  EXPECT_EQ(Lines(9).wrapped("10 µs ±1 %", 0), "10 µs ±1\n%");
}

TEST(Lines, keep_a_long_word_and_what_is_no_terminal_whole) {
  EXPECT_EQ(Lines(4).wrapped("a matmul/serial:0 b", 0), "a\nmatmul/serial:0\nb");
  EXPECT_EQ(Lines(SIZE_MAX).wrapped("one two", 2), "  one two");
  EXPECT_EQ(Lines(10).wrapped("", 2), "");
}

}  // namespace
}  // namespace breakeven
