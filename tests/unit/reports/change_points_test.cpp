// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/change_points.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace breakeven {
namespace {

// Levels of 25 values each.
std::vector<double> levels(std::initializer_list<double> heights, double noise = 0.01,
                           std::size_t each = 25) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::vector<double> values;
  for (const double height : heights) {
    for (std::size_t i = 0; i < each; ++i) {
      values.push_back(height + noise * normal(random));
    }
  }
  return values;
}

std::vector<std::size_t> places(std::span<const double> values, double significance = 0.005,
                                double least_step = 0.01) {
  std::vector<std::size_t> places;
  for (const auto& point : ChangePoints(significance, least_step).of(values)) {
    EXPECT_LE(point.p_value, significance);
    places.push_back(point.first);
  }
  return places;
}

using Places = std::vector<std::size_t>;

TEST(ChangePoints, are_where_the_levels_begin) {
  EXPECT_EQ(places(levels({0})), Places{});
  EXPECT_EQ(places(levels({0, 0.1})), Places{25});
  EXPECT_EQ(places(levels({0.1, 0})), Places{25});
  EXPECT_EQ(places(levels({0, 0.1, 0.2, 0.1})), (Places{25, 50, 75}));
}

TEST(ChangePoints, are_found_at_both_ends_of_what_passed) {
  auto values = levels({0, 0, 0.1, 0, 0}, 0.01, 15);
  EXPECT_EQ(places(values), (Places{30, 45}));
}

TEST(ChangePoints, are_none_for_single_strange_values) {
  auto values = levels({0});
  values[4] = 5;
  values[15] = -3;
  values[24] = 9;
  EXPECT_EQ(places(values), Places{});
}

TEST(ChangePoints, below_the_least_step_are_not_told) {
  EXPECT_EQ(places(levels({0, 0.008}, 0.001)), Places{});
  EXPECT_EQ(places(levels({0, 0.008}, 0.001), 0.005, 0.005), Places{25});
}

TEST(ChangePoints, take_more_evidence_where_they_are_to_be_rarer) {
  const auto values = levels({0, 0.05}, 0.01, 5);
  EXPECT_EQ(places(values, 0.05), Places{5});
  EXPECT_EQ(places(values, 1e-6), Places{});
}

TEST(ChangePoints, of_equal_or_few_values_are_none) {
  EXPECT_EQ(places(std::vector<double>(40, 1.5)), Places{});
  EXPECT_EQ(places(std::vector<double>{0, 0, 0, 9, 9, 9, 9}), Places{});
  EXPECT_EQ(places({}), Places{});
}

}  // namespace
}  // namespace breakeven
