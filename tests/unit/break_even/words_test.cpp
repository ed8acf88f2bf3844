// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/words.hpp"

#include <gtest/gtest.h>

namespace breakeven {
namespace {

TEST(Words, three_digits_and_the_unit_that_fits) {
  EXPECT_EQ(words_of_time(9800), "9.80 µs");
  EXPECT_EQ(words_of_time(0.42), "0.420 ns");
  EXPECT_EQ(words_of_time(999.7), "1.00 µs");
  EXPECT_EQ(words_of_time(2.5e12), "2500 s");
  EXPECT_EQ(words_of_bytes(0), "0 B");
  EXPECT_EQ(words_of_bytes(4 << 20), "4.00 MiB");
  EXPECT_EQ(words_of_flop_rate(268e9), "268 GFLOP/s");
  EXPECT_EQ(words_of_byte_rate(54.8e9), "54.8 GB/s");
  EXPECT_EQ(words_of_percent(0.0123), "1.23 %");
}

}  // namespace
}  // namespace breakeven
