// SPDX-License-Identifier: Apache-2.0
#include "reports/text/quantity.hpp"

#include <gtest/gtest.h>

namespace breakeven {
namespace {

TEST(Quantity, three_digits_and_the_unit_that_fits) {
  EXPECT_EQ(time_text(9800), "9.80 µs");
  EXPECT_EQ(time_text(0.42), "420 ps");
  EXPECT_EQ(rate_text(268e9, "FLOP/s"), "268 GFLOP/s");
  EXPECT_EQ(rate_text(54.8e9, "B/s"), "54.8 GB/s");
  EXPECT_EQ(bytes_text(4), "4 B");
  EXPECT_EQ(bytes_text(65536), "64 KiB");
  EXPECT_EQ(share_text(0.97), "97 %");
  EXPECT_EQ(share_text(0.0123), "1.2 %");
}

TEST(Quantity, what_rounds_up_to_a_power_of_ten_keeps_three_digits) {
  EXPECT_EQ(time_text(999'999.9999), "1.00 ms");
  EXPECT_EQ(time_text(999.6), "1.00 µs");
  EXPECT_EQ(time_text(9996), "10.0 µs");
  EXPECT_EQ(time_text(9994), "9.99 µs");
  EXPECT_EQ(short_number(0.99999), "1");
}

TEST(Quantity, short_numbers_have_no_trailing_zeros) {
  EXPECT_EQ(short_number(0.0123), "0.0123");
  EXPECT_EQ(short_number(12.3), "12.3");
  EXPECT_EQ(short_number(64), "64");
  EXPECT_EQ(short_number(1230), "1230");
}

TEST(Quantity, nothing_is_told_as_0) {
  EXPECT_EQ(time_text(0), "0 ns");
  EXPECT_EQ(rate_text(0, "B/s"), "0 B/s");
}

TEST(Quantity, an_interval_is_its_farther_end_or_both_where_it_is_wide) {
  EXPECT_EQ(interval_text(1000, 990, 1020), "±2.0 %");
  EXPECT_EQ(interval_text(1000, 850, 1100), "±15 %");
  EXPECT_EQ(interval_text(1000, 800, 2230), "[800 ns, 2.23 µs]");
}

}  // namespace
}  // namespace breakeven
