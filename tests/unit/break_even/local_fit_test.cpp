// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/local_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace breakeven {
namespace {

Finding line(std::initializer_list<std::size_t> sizes, double crossing, double slope,
             double ripple) {
  std::vector<Probe> probes;
  for (const std::size_t size : sizes) {
    const double sign = probes.size() % 2 == 0 ? 1 : -1;
    const double d = slope * std::log(static_cast<double>(size) / crossing) + sign * ripple;
    probes.push_back({.size = size,
                      .faster = d > 0 ? Faster::from : Faster::to,
                      .log_ratio = d,
                      .from_ns = 1,
                      .to_ns = std::exp(d)});
  }
  return finding_of(std::move(probes));
}

TEST(LocalFit, a_straight_line_is_hit_exactly) {
  const auto fit = local_fit(line({240, 280, 290, 310, 320, 380}, 300, -0.7, 0));
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->size, 300, 1e-6);
  EXPECT_NEAR(fit->slope, -0.7, 1e-9);
  EXPECT_NEAR(fit->high - fit->low, 0, 1e-4);
}

TEST(LocalFit, scatter_widens_the_interval_around_the_point) {
  const auto fit = local_fit(line({200, 240, 260, 280, 340, 380, 440}, 300, -1, 0.03));
  ASSERT_TRUE(fit);
  EXPECT_LT(fit->low, fit->size - 2);
  EXPECT_GT(fit->high, fit->size + 2);
  EXPECT_LT(fit->low, 300);
  EXPECT_GT(fit->high, 300);
}

TEST(LocalFit, too_few_sizes_or_no_slope_have_no_fit) {
  EXPECT_FALSE(local_fit(line({280, 290, 310}, 300, -1, 0)));
  EXPECT_FALSE(local_fit(line({1, 290, 310, 5000}, 300, -1, 0)));
  EXPECT_FALSE(local_fit(line({250, 270, 290, 310, 330}, 300, -0.01, 0.1)));
}

TEST(LocalFit, only_a_bracket_has_one) {
  EXPECT_FALSE(local_fit(line({310, 320, 330, 340, 350}, 300, -1, 0)));
}

}  // namespace
}  // namespace breakeven
