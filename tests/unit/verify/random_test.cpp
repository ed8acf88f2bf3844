// SPDX-License-Identifier: Apache-2.0
#include "suite/verify/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "suite/verify/numbers.hpp"
#include "tests/unit/verify/types.hpp"

namespace breakeven {
namespace {

std::vector<double> sample(Type type, Values values, std::uint64_t seed, std::size_t count) {
  std::vector<std::byte> stored(count * bytes_of(type));
  fill(type, values, seed, stored);
  std::vector<double> wide(count);
  widen(type, stored, wide);
  return wide;
}

struct Moments {
  double mean = 0, square = 0, least = 1e300, most = -1e300;
};

Moments moments(const std::vector<double>& values) {
  Moments m;
  for (const double value : values) {
    m.mean += value / static_cast<double>(values.size());
    m.square += value * value / static_cast<double>(values.size());
    m.least = std::min(m.least, value);
    m.most = std::max(m.most, value);
  }
  return m;
}

TEST(Random, SignedUnitIsUniformFromMinusOneToBelowOne) {
  for (const Type type : types) {
    const Moments m = moments(sample(type, Values::signed_unit, 7, 100001));
    EXPECT_NEAR(m.mean, 0, 0.01);
    EXPECT_NEAR(m.square, 1.0 / 3, 0.01);
    EXPECT_GE(m.least, -1);
    EXPECT_LT(m.least, -0.99);
    EXPECT_LT(m.most, 1);
    EXPECT_GT(m.most, 0.99);
  }
}

TEST(Random, UnitIsUniformFromZeroToBelowOne) {
  for (const Type type : types) {
    const Moments m = moments(sample(type, Values::unit, 8, 100001));
    EXPECT_NEAR(m.mean, 0.5, 0.01);
    EXPECT_NEAR(m.square, 1.0 / 3, 0.01);
    EXPECT_GE(m.least, 0);
    EXPECT_LT(m.most, 1);
  }
}

TEST(Random, SmallIntegersAreTheFiveFromMinusTwo) {
  for (const Type type : types) {
    const auto values = sample(type, Values::small_integers, 9, 1001);
    EXPECT_EQ(std::set<double>(values.begin(), values.end()), (std::set<double>{-2, -1, 0, 1, 2}));
  }
}

TEST(Random, SameSeedSameValuesWhateverTheLength) {
  for (const Type type : types) {
    const auto shorter = sample(type, Values::signed_unit, 5, 33);
    const auto longer = sample(type, Values::signed_unit, 5, 100);
    EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin()));
    EXPECT_NE(longer, sample(type, Values::signed_unit, 6, 100));

    std::vector<std::byte> all(1000), rest(1000 - 24);
    fill(type, Values::unit, 5, all);
    fill(type, Values::unit, 5, rest, 24);
    EXPECT_TRUE(std::equal(rest.begin(), rest.end(), all.begin() + 24));
  }
}

TEST(Random, BytesTakeEveryValueAndFillTheRest) {
  std::vector<std::byte> data(10003, std::byte{0});
  fill_bytes(3, data);
  EXPECT_EQ(std::set<std::byte>(data.begin(), data.end()).size(), 256U);
  std::vector<std::byte> part(9, std::byte{0});
  fill_bytes(3, part);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), data.begin()));
  fill_bytes(3, part, 16);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), data.begin() + 16));
}

TEST(Random, BytesOfAnyLengthAreNoPoison) {
  for (std::size_t length = 1; length < 18; ++length)
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
      std::vector<std::byte> data(length);
      fill_bytes(seed, data);
      ASSERT_FALSE(holds_poison(data)) << length << " bytes of seed " << seed;
    }
}

TEST(Random, BelowALimitEveryNumberComesUp) {
  std::set<std::size_t> seen;
  for (std::size_t i = 0; i < 200; ++i) seen.insert(random_below(7, 1, i));
  EXPECT_EQ(seen, (std::set<std::size_t>{0, 1, 2, 3, 4, 5, 6}));
}

}  // namespace
}  // namespace breakeven
