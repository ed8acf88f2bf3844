// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/rates_seen.hpp"

#include <gtest/gtest.h>

namespace breakeven {
namespace {

void see_copy(RatesSeen& seen, double bytes, double ns) {
  Key key;
  key.direction = "h2d";
  key.bytes = std::size_t(bytes);
  seen.add(key, {.bytes = bytes}, ns);
}

void see_product(RatesSeen& seen, const char* mode, double flops, double ns) {
  Key key;
  key.mode = mode;
  seen.add(key, {.flops = flops}, ns);
}

// On one side of a network a copy of 1 KiB takes as long as one of 64 KiB.
TEST(RatesSeen, ASlowSmallCopySaysNothingOfALargeOne) {
  RatesSeen seen;
  see_copy(seen, 1024, 150e3);
  EXPECT_EQ(seen.least_ns({.bytes = 4 << 20}), 0);
  see_copy(seen, 65536, 180e3);
  EXPECT_EQ(seen.least_ns({.bytes = 4 << 20}), 0);
}

TEST(RatesSeen, TwoSizesTellRateFromLatency) {
  RatesSeen seen;
  see_copy(seen, 1e3, 150e3 + 1e3);
  see_copy(seen, 2e6, 150e3 + 2e6);
  EXPECT_NEAR(seen.least_ns({.bytes = 1e9}), 1e9, 1);
}

// On a busy machine the second of two tiny products takes several times as long.
TEST(RatesSeen, WhatIsLongerByLessThanAMillisecondSaysNothing) {
  RatesSeen seen;
  see_product(seen, "resident", 6e4, 100e3);
  see_product(seen, "resident", 5e5, 900e3);
  EXPECT_EQ(seen.least_ns({.flops = 2e9}), 0);
}

TEST(RatesSeen, OneThatIsNoLatencyAnyMoreCountsAlone) {
  RatesSeen seen;
  see_product(seen, "resident", 1e9, 1e9);
  EXPECT_EQ(seen.least_ns({.flops = 8e9}), 8e9);
}

TEST(RatesSeen, TheBestOfAllCasesCounts) {
  RatesSeen seen;
  see_product(seen, "resident", 2e9, 1e9);
  see_product(seen, "offload-always", 1e9, 1e9);
  EXPECT_EQ(seen.least_ns({.flops = 2e9}), 1e9);
}

}  // namespace
}  // namespace breakeven
