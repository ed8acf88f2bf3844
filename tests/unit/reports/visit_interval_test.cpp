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
  const std::vector<double> visits{90,  91,  92,  93,  94,  95,  96,  97,  98,  99,
                                   101, 102, 103, 104, 105, 106, 107, 108, 109, 110};
  const auto interval = visit_interval(visits);
  const auto ranks = median_interval(visits);
  EXPECT_EQ(interval->median, ranks->median);
  EXPECT_LT(interval->low, ranks->low - 2);
  EXPECT_GT(interval->high, ranks->high + 2);
}

TEST(VisitInterval, EndsAtTheLeastAndTheGreatestVisit) {
  const std::vector<double> jump{1, 1, 1, 1, 1, 1000, 1000, 1000, 1000, 1000};
  EXPECT_EQ(visit_interval(jump)->low, 1);
  EXPECT_EQ(visit_interval(jump)->high, 1000);
  const std::vector<double> disturbed{5507, 5600, 5700, 6000, 7000, 7260, 9000, 4e4, 1e5, 1e6, 8e6};
  EXPECT_EQ(visit_interval(disturbed)->low, 5507);
  EXPECT_EQ(visit_interval(disturbed)->high, 8e6);
  EXPECT_EQ(visit_interval(std::vector<double>(10, 5.0))->high, 5.0);
}

TEST(VisitInterval, NoneOfTooFewVisits) {
  EXPECT_FALSE(visit_interval(std::vector<double>{1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace breakeven
