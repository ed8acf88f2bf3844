// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/time_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace breakeven {
namespace {

// Square products: 3 n² numbers of 4 bytes, 2 n³ flops.
std::vector<Observation> products(double overhead_ns, double bytes_per_ns, double flops_per_ns,
                                  double noise = 0) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<Observation> observations;
  for (const std::size_t size : {8, 16, 32, 64, 90, 128, 180, 256, 512, 1024, 2048}) {
    const auto n = static_cast<double>(size);
    Observation one{size, 0, 12 * n * n, 2 * n * n * n};
    one.nanoseconds = (overhead_ns + one.bytes / bytes_per_ns + one.flops / flops_per_ns) *
                      std::exp(noise * normal(random));
    observations.push_back(one);
  }
  return observations;
}

TEST(TimeModel, recovers_overhead_bandwidth_and_rate) {
  const auto model = fit_time_model(products(9800, 20, 500));
  ASSERT_TRUE(model);
  EXPECT_NEAR(model->overhead_ns.value, 9800, 1);
  EXPECT_NEAR(1 / model->ns_per_byte.value, 20, 0.01);
  EXPECT_NEAR(1 / model->ns_per_flop.value, 500, 0.5);
  EXPECT_TRUE(model->misfits.empty());
}

TEST(TimeModel, the_intervals_hold_the_truth_under_noise) {
  const auto model = fit_time_model(products(9800, 20, 500, 0.02));
  ASSERT_TRUE(model);
  EXPECT_LT(model->overhead_ns.low, 9800);
  EXPECT_GT(model->overhead_ns.high, 9800);
  EXPECT_LT(model->ns_per_flop.low, 1.0 / 500);
  EXPECT_GT(model->ns_per_flop.high, 1.0 / 500);
  EXPECT_LT(model->overhead_ns.high - model->overhead_ns.low, 0.1 * 9800);
}

TEST(TimeModel, a_step_is_named_and_does_not_bend_the_rest) {
  auto observations = products(1000, 20, 500, 0.005);
  observations[8].nanoseconds *= 1.4;
  observations[9].nanoseconds *= 1.3;
  const auto model = fit_time_model(observations);
  ASSERT_TRUE(model);
  ASSERT_EQ(model->misfits.size(), 1u);
  EXPECT_EQ(model->misfits[0].low, 512u);
  EXPECT_EQ(model->misfits[0].high, 1024u);
  EXPECT_NEAR(model->misfits[0].ratio, 1.4, 0.03);
  EXPECT_NEAR(model->overhead_ns.value, 1000, 30);
  EXPECT_FALSE(model->fits(256, 600));
  EXPECT_TRUE(model->fits(8, 256));
}

TEST(TimeModel, costs_are_never_negative) {
  auto observations = products(0, 1e9, 500, 0.01);
  const auto model = fit_time_model(observations);
  ASSERT_TRUE(model);
  EXPECT_GE(model->overhead_ns.value, 0);
  EXPECT_GE(model->ns_per_byte.value, 0);
  EXPECT_NEAR(1 / model->ns_per_flop.value, 500, 10);
}

TEST(TimeModel, bytes_and_flops_that_grow_alike_are_one_cost) {
  std::vector<Observation> observations;
  for (const std::size_t count : {1, 4, 16, 64, 256}) {
    const auto k = static_cast<double>(count);
    observations.push_back({count, 100 + 30 * k, 10 * k, 50 * k});
  }
  const auto model = fit_time_model(observations);
  ASSERT_TRUE(model);
  EXPECT_TRUE(model->bytes_stand_for_flops);
  EXPECT_NEAR(model->overhead_ns.value, 100, 1e-6);
  EXPECT_NEAR(model->ns_per_byte.value, 3, 1e-6);
  EXPECT_EQ(model->ns_per_flop.value, 0);
}

TEST(TimeModel, a_copy_has_no_rate) {
  std::vector<Observation> observations;
  for (const std::size_t bytes : {64, 1024, 65536, 1048576}) {
    observations.push_back({bytes, 2800 + static_cast<double>(bytes) / 54.8, double(bytes), 0});
  }
  const auto model = fit_time_model(observations);
  ASSERT_TRUE(model);
  EXPECT_NEAR(model->overhead_ns.value, 2800, 1e-3);
  EXPECT_NEAR(1 / model->ns_per_byte.value, 54.8, 1e-3);
}

TEST(TimeModel, needs_two_more_sizes_than_costs) {
  auto observations = products(9800, 20, 500);
  observations.resize(4);
  EXPECT_FALSE(fit_time_model(observations));
  EXPECT_FALSE(fit_time_model({}));
}

}  // namespace
}  // namespace breakeven
