// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/spread.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <random>
#include <vector>

namespace breakeven {
namespace {

// The expected values of a normal sample, as good as drawn.
std::vector<double> normal_scores(std::size_t n, double deviation = 1) {
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) {
    const double p = (static_cast<double>(i) + 0.625) / (static_cast<double>(n) + 0.25);
    values.push_back(deviation * boost::math::quantile(boost::math::normal(), p));
  }
  return values;
}

TEST(BiweightVariance, is_that_of_a_normal_sample) {
  EXPECT_NEAR(biweight_variance(normal_scores(1000, 2)), 4, 0.1);
}

TEST(BiweightVariance, does_not_see_outliers) {
  auto values = normal_scores(40);
  const double without = biweight_variance(values);
  for (int i = 0; i < 6; ++i) {
    values.push_back(1e6);
  }
  EXPECT_NEAR(biweight_variance(values) / without, 1, 0.35);
}

TEST(BiweightVariance, is_zero_where_most_values_are_equal) {
  EXPECT_EQ(biweight_variance(std::vector<double>{1, 1, 1, 1, 9}), 0);
}

TEST(PriorVariance, is_all_where_variances_differ_no_more_than_chance_has_it) {
  std::mt19937_64 random(1);
  std::chi_squared_distribution<double> chi(12);
  std::vector<double> variances, freedoms(300, 12);
  for (std::size_t i = 0; i < freedoms.size(); ++i) {
    variances.push_back(4 * chi(random) / 12);
  }
  const auto prior = prior_variance(variances, freedoms);
  EXPECT_GT(prior.freedom, 50);
  EXPECT_NEAR(prior.moderated(20, 12), 4, 2.5);
}

TEST(PriorVariance, says_little_where_variances_differ_widely) {
  std::vector<double> variances, freedoms(50, 100);
  for (int i = 0; i < 50; ++i) {
    variances.push_back(std::pow(10.0, i / 10));
  }
  const auto prior = prior_variance(variances, freedoms);
  EXPECT_LT(prior.freedom, 3);
  EXPECT_NEAR(prior.moderated(1000, 100), 1000, 50);
}

TEST(PriorVariance, of_too_few_is_none) {
  const std::vector<double> two{1, 2};
  EXPECT_EQ(prior_variance(two, two).freedom, 0);
  EXPECT_EQ(prior_variance(two, two).moderated(7, 5), 7);
}

TEST(TExceededWith, is_a_quantile) {
  EXPECT_NEAR(t_exceeded_with(0.025, 10), 2.2281, 1e-4);
  EXPECT_NEAR(t_exceeded_with(0.025, 1e6), 1.95996, 1e-4);
}

TEST(TwoHeaps, are_seen_with_a_gap) {
  auto values = normal_scores(12, 0.003);
  for (const double value : normal_scores(8, 0.003)) {
    values.push_back(value + 0.04);
  }
  const auto heaps = two_heaps(values);
  ASSERT_TRUE(heaps);
  EXPECT_NEAR(heaps->high - heaps->low, 0.04, 0.002);
  EXPECT_GT(heaps->border, 0.01);
  EXPECT_LT(heaps->border, 0.035);
}

TEST(TwoHeaps, are_not_seen_in_one_nor_in_an_even_spread) {
  EXPECT_FALSE(two_heaps(normal_scores(500)));
  std::vector<double> even;
  for (int i = 0; i < 100; ++i) {
    even.push_back(i);
  }
  EXPECT_FALSE(two_heaps(even));
  EXPECT_FALSE(two_heaps(std::vector<double>(20, 1.0)));
}

TEST(TwoHeaps, are_a_quarter_each_at_least) {
  auto values = normal_scores(18, 0.003);
  values.push_back(0.1);
  values.push_back(0.1);
  EXPECT_FALSE(two_heaps(values));
}

}  // namespace
}  // namespace breakeven
