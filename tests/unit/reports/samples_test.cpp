// SPDX-License-Identifier: Apache-2.0
#include "reports/schema/samples.hpp"

#include <gtest/gtest.h>

namespace breakeven {
namespace {

TEST(Samples, visits_and_their_order_come_back) {
  const Visits visits{{103.5, 103.25}, {99}, {1e12, 0.001234}};
  const auto text = format_samples(visits);
  EXPECT_EQ(text, "103.5 103.25;99;1000000000000 0.001234");
  EXPECT_EQ(parse_samples(text), visits);
}

TEST(Samples, none_are_unknown) {
  EXPECT_EQ(format_samples({}), "NA");
  EXPECT_EQ(parse_samples("NA"), Visits{});
}

TEST(Samples, nine_digits_are_kept) {
  EXPECT_EQ(format_samples(Visits{{1.0 / 3}}), "0.333333333");
  EXPECT_EQ(format_samples(Visits{{1234567890.4}}), "1234567890");
}

TEST(Samples, anything_else_is_refused) {
  for (const auto* text : {"", "1;", "1  2", "1 x", "nan", "inf", "1,2", " 1", ";1", "1 2 "}) {
    EXPECT_EQ(parse_samples(text), std::nullopt) << text;
  }
}

TEST(Pairs, values_with_spaces_and_signs_come_back) {
  const Pairs pairs{{"name", "NVIDIA H200 100%"}, {"flags", "a=b;c"}, {"empty", ""}};
  const auto text = format_pairs(pairs);
  EXPECT_EQ(text, "name=NVIDIA%20H200%20100%25 flags=a=b;c empty=");
  EXPECT_EQ(parse_pairs(text), pairs);
  EXPECT_EQ(format_pairs({}), "NA");
  EXPECT_EQ(parse_pairs("NA"), Pairs{});
}

TEST(Pairs, anything_else_is_refused) {
  for (const auto* text : {"", "key", "=value", "a=1  b=2", "a=%2", "a=%zz"}) {
    EXPECT_EQ(parse_pairs(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace breakeven
