// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/effect.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <vector>

namespace breakeven {
namespace {

TEST(Effect, a_ratio_is_of_geometric_means) {
  const auto effect = welch_log_ratio(std::vector{1.0, 4.0}, std::vector{4.0, 16.0});
  ASSERT_TRUE(effect);
  EXPECT_DOUBLE_EQ(effect->ratio, 4);
  EXPECT_LT(effect->low, 4);
  EXPECT_GT(effect->high, 4);
}

TEST(Effect, one_process_on_a_side_says_nothing) {
  EXPECT_FALSE(welch_log_ratio(std::vector{1.0}, std::vector{1.0, 2.0}));
  EXPECT_FALSE(geometric_mean_interval(std::vector{1.0}));
}

TEST(Effect, values_without_any_spread_are_compared_exactly) {
  const auto same = welch_log_ratio(std::vector{2.0, 2.0}, std::vector{2.0, 2.0});
  const auto other = welch_log_ratio(std::vector{2.0, 2.0}, std::vector{3.0, 3.0});
  EXPECT_EQ(same->p_value, 1);
  EXPECT_EQ(other->p_value, 0);
  EXPECT_DOUBLE_EQ(other->low, 1.5);
}

TEST(Effect, the_smallest_ratio_that_can_be_seen_shrinks_with_the_noise) {
  const auto noisy = welch_log_ratio(std::vector{1.0, 1.1, 0.9}, std::vector{1.0, 1.1, 0.9});
  const auto quiet = welch_log_ratio(std::vector{1.0, 1.01, 0.99}, std::vector{1.0, 1.01, 0.99});
  EXPECT_GT(smallest_ratio(*noisy, 0.05), noisy->high);
  EXPECT_LT(smallest_ratio(*quiet, 0.05), smallest_ratio(*noisy, 0.05));
  EXPECT_GT(smallest_ratio(*quiet, 0.005), smallest_ratio(*quiet, 0.05));
}

TEST(Effect, the_smallest_ratio_is_seen_in_four_of_five) {
  for (const double freedom : {2.0, 4.0, 8.0, 20.0}) {
    for (const double significance : {0.05, 0.0025}) {
      Effect effect;
      effect.degrees_of_freedom = freedom;
      effect.standard_error = 0.01;
      const double shift = std::log(smallest_ratio(effect, significance)) / effect.standard_error;
      const double critical =
          boost::math::quantile(boost::math::students_t(freedom), 1 - significance / 2);
      const double power = boost::math::cdf(
          boost::math::complement(boost::math::non_central_t(freedom, shift), critical));
      EXPECT_NEAR(power, 0.8, 0.025) << freedom << ' ' << significance;
    }
  }
}

TEST(Permutation, cannot_go_below_what_three_and_five_rounds_allow) {
  EXPECT_DOUBLE_EQ(permutation_p_value(std::vector{1.0, 1.1, 1.2}, std::vector{8.0, 9.0, 10.0}),
                   2.0 / 20);
  EXPECT_DOUBLE_EQ(permutation_p_value(std::vector{1.0, 1.1, 1.2, 1.3, 1.4},
                                       std::vector{8.0, 9.0, 10.0, 11.0, 12.0}),
                   2.0 / 252);
}

TEST(BenjaminiHochberg, keeps_the_order_of_what_it_was_given) {
  const auto adjusted = benjamini_hochberg(std::vector{0.04, 0.01});
  EXPECT_DOUBLE_EQ(adjusted[0], 0.04);
  EXPECT_DOUBLE_EQ(adjusted[1], 0.02);
  EXPECT_TRUE(benjamini_hochberg({}).empty());
}

}  // namespace
}  // namespace breakeven
