// SPDX-License-Identifier: Apache-2.0
#include "suite/verify/numbers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/unit/verify/types.hpp"

namespace breakeven {
namespace {

TEST(Numbers, EveryHalfPrecisionValueSurvivesTheWayThereAndBack) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const double f16 = f16_to_f64(half), bf16 = bf16_to_f64(half);
    EXPECT_TRUE(std::isnan(f16) || f64_to_f16(f16) == half) << half;
    EXPECT_TRUE(std::isnan(bf16) || f64_to_bf16(bf16) == half) << half;
  }
}

TEST(Numbers, KnownValuesOfTheStandards) {
  EXPECT_EQ(f16_to_f64(0x3c00), 1.0);
  EXPECT_EQ(f16_to_f64(0x7bff), 65504.0);
  EXPECT_EQ(f16_to_f64(0x0001), 0x1p-24);
  EXPECT_EQ(f16_to_f64(0xc000), -2.0);
  EXPECT_EQ(bf16_to_f64(0x3f80), 1.0);
  EXPECT_EQ(bf16_to_f64(0xc049), -3.140625);
}

TEST(Numbers, HalvesRoundToTheNearestAndTiesToEven) {
  EXPECT_EQ(f64_to_f16(1 + 0x1p-11), 0x3c00);            // tie, down to even
  EXPECT_EQ(f64_to_f16(1 + 3 * 0x1p-11), 0x3c02);        // tie, up to even
  EXPECT_EQ(f64_to_f16(1 + 0x1p-11 + 0x1p-40), 0x3c01);  // just above the tie
  EXPECT_EQ(f64_to_bf16(1 + 0x1p-8), 0x3f80);
  EXPECT_EQ(f64_to_bf16(1 + 0x1p-8 + 0x1p-30), 0x3f81);
  EXPECT_EQ(f64_to_f16(65519), 0x7bff);
  EXPECT_EQ(f64_to_f16(65520), 0x7c00);
  EXPECT_EQ(f64_to_f16(-0x1p-26), 0x8000);
}

TEST(Numbers, WidenAndNarrowAgreeWithSingleElements) {
  const std::vector<double> values{0, -1, 0.5, 1.0 / 3, 1000, -0x1p-20};
  for (const Type type : types) {
    std::vector<std::byte> stored(values.size() * bytes_of(type));
    narrow(type, values, stored);
    std::vector<double> back(values.size());
    widen(type, stored, back);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(back[i], element(type, stored, i));
      EXPECT_EQ(back[i], rounded_to(type, values[i]));
      EXPECT_NEAR(back[i], values[i], unit_roundoff(type) * std::abs(values[i]) + 0x1p-25);
    }
  }
}

TEST(Numbers, RoundingStaysWithinTheUnitRoundoffAndReachesHalfOfIt) {
  for (const Type type : types) {
    double largest = 0;
    for (int i = 1; i < 2000; ++i) {
      const double value = 1 + i / 2000.0 + i * 0x1p-50;
      largest = std::max(largest, std::abs(rounded_to(type, value) - value) / value);
    }
    EXPECT_LE(largest, unit_roundoff(type));
    EXPECT_TRUE(type == Type::f64 || largest >= unit_roundoff(type) / 2);
  }
}

TEST(Numbers, PoisonIsNotANumberInEveryType) {
  for (const Type type : types) {
    std::vector<std::byte> data(8 * bytes_of(type));
    poison(data);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_TRUE(std::isnan(element(type, data, i)));
  }
}

}  // namespace
}  // namespace breakeven
