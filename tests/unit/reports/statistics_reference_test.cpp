// SPDX-License-Identifier: Apache-2.0
// The statistics against SciPy's, on the same data: tests/statistics/make_reference.py.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "reports/statistics/effect.hpp"
#include "reports/statistics/order_statistics.hpp"

namespace breakeven {
namespace {

using Values = std::vector<double>;

const nlohmann::json& reference() {
  static const auto data =
      nlohmann::json::parse(std::ifstream(BREAKEVEN_SOURCE_DIR "/tests/statistics/reference.json"));
  return data;
}

void expect_same(double ours, const nlohmann::json& theirs) {
  const auto expected = theirs.get<double>();
  EXPECT_NEAR(ours, expected, 1e-9 * std::abs(expected));
}

TEST(AgainstScipy, welch_on_logarithms) {
  for (const auto& data : reference().at("effects")) {
    const auto effect =
        welch_log_ratio(data.at("base").get<Values>(), data.at("other").get<Values>());
    ASSERT_TRUE(effect);
    expect_same(effect->ratio, data.at("ratio"));
    expect_same(effect->low, data.at("low"));
    expect_same(effect->high, data.at("high"));
    expect_same(effect->p_value, data.at("p_value"));
    expect_same(effect->degrees_of_freedom, data.at("degrees_of_freedom"));
  }
}

TEST(AgainstScipy, geometric_mean_and_its_interval) {
  for (const auto& data : reference().at("effects")) {
    const auto interval = geometric_mean_interval(data.at("base").get<Values>());
    ASSERT_TRUE(interval);
    expect_same(interval->mean, data.at("geometric_mean"));
    expect_same(geometric_mean(data.at("base").get<Values>()), data.at("geometric_mean"));
    expect_same(interval->low, data.at("mean_interval")[0]);
    expect_same(interval->high, data.at("mean_interval")[1]);
  }
}

TEST(AgainstScipy, permutation_test) {
  for (const auto& data : reference().at("effects")) {
    if (!data.at("permutation_p_value").is_null()) {
      expect_same(
          permutation_p_value(data.at("base").get<Values>(), data.at("other").get<Values>()),
          data.at("permutation_p_value"));
    }
  }
  for (const auto& data : reference().at("monte_carlo")) {
    const double expected = data.at("p_value");
    const double error = std::sqrt(expected * (1 - expected) * (1 / 2e5 + 1 / 1e6));
    EXPECT_NEAR(permutation_p_value(data.at("base").get<Values>(), data.at("other").get<Values>()),
                expected, 4 * error);
  }
}

TEST(AgainstScipy, false_discovery_control) {
  for (const auto& data : reference().at("false_discovery")) {
    const auto adjusted = benjamini_hochberg(data.at("p_values").get<Values>());
    ASSERT_EQ(adjusted.size(), data.at("adjusted").size());
    for (std::size_t i = 0; i < adjusted.size(); ++i) {
      expect_same(adjusted[i], data.at("adjusted")[i]);
    }
  }
}

TEST(AgainstScipy, quantiles) {
  for (const auto& data : reference().at("quantiles")) {
    for (std::size_t i = 0; i < data.at("p").size(); ++i) {
      expect_same(quantile(data.at("values").get<Values>(), data.at("p")[i]),
                  data.at("quantiles")[i]);
    }
  }
}

TEST(AgainstScipy, ranks_of_the_interval_of_the_median) {
  for (const auto& data : reference().at("ranks")) {
    const auto ranks = median_ranks(data.at("n"), data.at("level"));
    const auto& expected = data.at("ranks");
    ASSERT_EQ(ranks.has_value(), !expected.is_null()) << data.at("n");
    if (ranks) {
      EXPECT_EQ(ranks->low + 1, expected[0].get<std::size_t>()) << data.at("n");
      EXPECT_EQ(ranks->high + 1, expected[1].get<std::size_t>());
      expect_same(ranks->coverage, expected[2]);
    }
  }
}

}  // namespace
}  // namespace breakeven
