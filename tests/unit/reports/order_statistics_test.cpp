// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/order_statistics.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace breakeven {
namespace {

TEST(OrderStatistics, median_is_the_middle_or_the_mean_of_the_two) {
  EXPECT_EQ(median(std::vector{3.0, 1.0, 2.0}), 2);
  EXPECT_EQ(median(std::vector{4.0, 1.0, 2.0, 3.0}), 2.5);
  EXPECT_EQ(median(std::vector{7.0}), 7);
}

TEST(OrderStatistics, quantiles_are_linear_between_neighbours) {
  const std::vector values{10.0, 40.0, 20.0, 30.0};
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 17.5);
  EXPECT_DOUBLE_EQ(quantile(values, 0), 10);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 40);
}

TEST(OrderStatistics, ranks_are_those_of_the_binomial_distribution) {
  struct Expected {
    std::size_t n, low, high;
  };
  // Le Boudec's appendix where the interval is symmetric; his asymmetric ones are narrower by one.
  for (const auto [n, low, high] :
       {Expected{6, 1, 6}, {9, 2, 8}, {10, 2, 9}, {17, 5, 13}, {30, 10, 21}, {70, 27, 44}}) {
    const auto ranks = median_ranks(n);
    ASSERT_TRUE(ranks);
    EXPECT_EQ(ranks->low + 1, low) << n;
    EXPECT_EQ(ranks->high + 1, high) << n;
    EXPECT_GE(ranks->coverage, 0.95);
  }
}

TEST(OrderStatistics, too_few_values_have_no_interval) {
  EXPECT_FALSE(median_ranks(0));
  EXPECT_FALSE(median_ranks(5));
  EXPECT_TRUE(median_ranks(6));
  EXPECT_FALSE(median_ranks(7, 0.99));
  EXPECT_TRUE(median_ranks(8, 0.99));
  EXPECT_FALSE(median_interval(std::vector{1.0, 2.0, 3.0}));
}

TEST(OrderStatistics, the_interval_is_made_of_values_of_the_sample) {
  const auto interval = median_interval(std::vector<double>{9, 1, 8, 2, 7, 3, 6, 4, 5, 10});
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->median, 5.5);
  EXPECT_EQ(interval->low, 2);
  EXPECT_EQ(interval->high, 9);
}

}  // namespace
}  // namespace breakeven
