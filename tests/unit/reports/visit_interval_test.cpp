// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/visit_interval.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace breakeven {
namespace {

TEST(VisitInterval, OfUnrelatedVisitsIsTheRankInterval) {
  const std::vector<double> visits{103, 97, 102, 98, 101, 99, 104, 96, 105, 95};
  const auto interval = visit_interval(visits);
  const auto ranks = median_interval(visits);
  EXPECT_DOUBLE_EQ(interval->low, ranks->low);
  EXPECT_DOUBLE_EQ(interval->high, ranks->high);
}

TEST(VisitInterval, IsWiderWhereNeighboursResembleOneAnother) {
  const std::vector<double> visits{95, 96, 97, 98, 99, 101, 102, 103, 104, 105};
  const auto interval = visit_interval(visits);
  const auto ranks = median_interval(visits);
  EXPECT_EQ(interval->median, ranks->median);
  EXPECT_LT(interval->low, ranks->low - 2);
  EXPECT_GT(interval->high, ranks->high + 2);
}

TEST(VisitInterval, StaysPositiveAndFinite) {
  const std::vector<double> visits{1, 1, 1, 1, 1, 1000, 1000, 1000, 1000, 1000};
  EXPECT_GT(visit_interval(visits)->low, 0);
  EXPECT_EQ(visit_interval(std::vector<double>(10, 5.0))->high, 5.0);
}

TEST(VisitInterval, NoneOfTooFewVisits) {
  EXPECT_FALSE(visit_interval(std::vector<double>{1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace breakeven
