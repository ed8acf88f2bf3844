// SPDX-License-Identifier: Apache-2.0
// What a row claims of what was measured.
#include "suite/run/rows.hpp"
#include "suite/cases/all_cases.hpp"

#include <gmock/gmock.h>

#include "reports/schema/samples.hpp"
#include "reports/statistics/order_statistics.hpp"
#include "reports/statistics/visit_interval.hpp"

namespace breakeven {
namespace {

using testing::HasSubstr;

class RowTest : public testing::Test {
 protected:
  RowTest() {
    plugin_.name = "serial";
    plugin_.devices.emplace_back();
    planned_.definition = all_cases().front();
    planned_.plugin = &plugin_;
    planned_.key.type = Type::f32;
    measured_.planned = &planned_;
    measured_.prepared.work.flops = 6000;
    measured_.prepared.work.bytes = 300;
    measured_.prepared.repetitions = 10;
    measured_.stop = StopReason::precision;
    measured_.prepared.verification = {true, "exact", 0.25, 0.5, ""};
    // Pooled, the long visit would move the median to 90.
    for (const double center : {100.0, 102.0, 101.0, 104.0, 103.0, 106.0, 105.0})
      visit({center + 4, center, center - 4});
    visit({90, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90, 90});
  }

  void visit(std::vector<double> wall) {
    measured_.visit_medians.push_back(median(wall));
    measured_.visit_noise.push_back(measured_.visit_noise.size());
    std::vector<double> enqueue(wall.size(), 7);
    enqueue.front() = 50;
    measured_.visits.push_back({std::move(wall), std::move(enqueue), {}});
  }

  Row row() const { return make_row(Row(), measured_, ceiling_); }

  Plugin plugin_;
  PlannedCase planned_;
  Contender measured_;
  std::optional<CeilingShare> ceiling_ = CeilingShare{"fma_f32_core", 100e9, "flop/s", 0.6, {}};
};

TEST_F(RowTest, TheMedianIsThatOfTheVisitsWithTheirInterval) {
  EXPECT_EQ(row().real(Column::median_ns), 102.5);
  const auto interval = visit_interval(measured_.visit_medians);
  EXPECT_EQ(row().real(Column::median_low_ns), interval->low);
  EXPECT_EQ(row().real(Column::median_high_ns), interval->high);
  EXPECT_EQ(row().real(Column::min_ns), 90);
}

TEST_F(RowTest, NoBoundOfTheMedianLiesOutsideOfTheVisits) {
  measured_.visits.clear();
  measured_.visit_medians.clear();
  for (const double center : {500.0, 45.0, 44.0, 590.0, 585.0, 560.0}) {
    std::vector<double> wall(20, center);
    wall.front() = center - 15, wall.back() = center + 110;
    visit(std::move(wall));
  }
  EXPECT_EQ(row().real(Column::median_low_ns), 44);
  EXPECT_EQ(row().real(Column::median_high_ns), 590);
}

TEST_F(RowTest, RatesAreWorkOverTheMedian) {
  EXPECT_DOUBLE_EQ(*row().real(Column::flops_per_s), 6000 / 102.5 * 1e9);
  EXPECT_DOUBLE_EQ(*row().real(Column::bytes_per_s), 300 / 102.5 * 1e9);
}

TEST_F(RowTest, EverySampleIsKeptInOrderVisitsApart) {
  const auto samples = parse_samples(row().text(Column::samples_ns));
  ASSERT_TRUE(samples);
  ASSERT_EQ(samples->size(), 8U);
  EXPECT_EQ(samples->front(), (std::vector<double>{104, 100, 96}));
  EXPECT_EQ(samples->back().size(), 22U);
  EXPECT_EQ(row().integer(Column::n_samples), 43);
  EXPECT_EQ(row().integer(Column::n_visits), 8);
}

TEST_F(RowTest, TheOtherClocksHaveTheMedianOfTheirVisitsOrNone) {
  EXPECT_EQ(row().real(Column::enqueue_median_ns), 7);
  EXPECT_FALSE(row().is_known(Column::device_median_ns));
  measured_.visits.front().device = {30, 10, 20};
  EXPECT_EQ(row().real(Column::device_median_ns), 20);
}

TEST_F(RowTest, APercentileOfNinetyFiveWantsTwentySamples) {
  EXPECT_TRUE(row().is_known(Column::p95_ns));
  measured_.visits.resize(6);  // 18 samples
  EXPECT_TRUE(row().is_known(Column::p75_ns));
  EXPECT_FALSE(row().is_known(Column::p95_ns));
}

TEST_F(RowTest, TooFewVisitsHaveNoInterval) {
  measured_.visits.resize(3);
  measured_.visit_medians.resize(3);
  EXPECT_TRUE(row().is_known(Column::median_ns));
  EXPECT_FALSE(row().is_known(Column::median_low_ns));
  EXPECT_FALSE(row().is_known(Column::median_high_ns));
}

TEST_F(RowTest, SaysWhyItStopped) {
  for (const StopReason reason : {StopReason::precision, StopReason::budget, StopReason::visits}) {
    measured_.stop = reason;
    EXPECT_EQ(row().text(Column::stop_reason), name_of(reason));
  }
}

TEST_F(RowTest, NamesItsCeilingAndItsShareOfIt) {
  EXPECT_EQ(row().text(Column::ceiling_source), "fma_f32_core");
  EXPECT_EQ(row().real(Column::ceiling), 100e9);
  EXPECT_EQ(row().real(Column::ceiling_share), 0.6);
  ceiling_->share = 103;  // the ceiling's threads did not get their processors
  EXPECT_FALSE(row().is_known(Column::ceiling));
  EXPECT_FALSE(row().is_known(Column::ceiling_share));
  ceiling_.reset();
  EXPECT_FALSE(row().is_known(Column::ceiling_share));
}

// The share is of the burst: nothing passes that. What is sustained stands beside it.
TEST_F(RowTest, TellsWhatTheDeviceSustains) {
  ceiling_ =
      CeilingShare{"gemm_f32", 100e9, "flop/s", 0.6, {"gemm_f32"}, Sustained{62e9, 61.5e9, 1200}};
  EXPECT_EQ(row().real(Column::ceiling_share), 0.6);
  EXPECT_THAT(std::string(row().text(Column::details)),
              testing::HasSubstr("sustained_flop_per_s=6.2e+10 sustained_low_flop_per_s=6.15e+10 "
                                 "sustained_mhz=1200"));
  ceiling_->sustained->mhz = 0;
  EXPECT_THAT(std::string(row().text(Column::details)),
              testing::Not(testing::HasSubstr("sustained_mhz")));
}

TEST_F(RowTest, AFailureHasNoTimeWhateverWasMeasured) {
  for (const Status status :
       {Status::wrong, Status::implausible, Status::failed, Status::crashed, Status::hung}) {
    measured_.status = status;
    const Row failed = row();
    EXPECT_EQ(failed.status(), status);
    for (const Column column :
         {Column::median_ns, Column::min_ns, Column::flops_per_s, Column::samples_ns,
          Column::enqueue_samples_ns, Column::ceiling_share})
      EXPECT_FALSE(failed.is_known(column)) << info(column).name;
  }
}

TEST_F(RowTest, TellsHowItWasVerified) {
  EXPECT_EQ(row().text(Column::verify_method), "exact");
  EXPECT_EQ(row().real(Column::verify_error), 0.25);
  EXPECT_EQ(row().real(Column::verify_tolerance), 0.5);
}

TEST_F(RowTest, CountsDisturbedVisitsAndNamesTheirCausesOnce) {
  measured_.disturbances = {"steal 3 %", "kernel +8 %", "steal 3 %"};
  EXPECT_EQ(row().integer(Column::disturbed), 3);
  EXPECT_EQ(row().text(Column::disturbances), "kernel +8 %, steal 3 %");
  measured_.disturbances.clear();
  EXPECT_EQ(row().integer(Column::disturbed), 0);
  measured_.visit_noise.clear();  // nobody watched
  EXPECT_FALSE(row().is_known(Column::disturbed));
}

TEST_F(RowTest, EnergyIsThatOfOneRepetition) {
  EXPECT_FALSE(row().is_known(Column::energy_j));
  measured_.metered = {900, 45 * 10};
  EXPECT_DOUBLE_EQ(*row().real(Column::energy_j), 900.0 / (45 * 10));
}

TEST_F(RowTest, APowerLimitIsALabelWithItsShareOfTheTime) {
  EXPECT_FALSE(row().is_known(Column::details));
  measured_.sampled_ns = 1000;
  measured_.power_throttle_ns = 250;
  EXPECT_THAT(row().text(Column::details), HasSubstr("power_capped=0.250"));
}

TEST_F(RowTest, TheBaseOfARatioHasAColumnOfItsOwn) {
  measured_.finished.details = {{"speed_up", "1.9"}};
  measured_.finished.base = "parallel/serial:0/f32/strong/n:64";
  EXPECT_EQ(row().text(Column::base), "parallel/serial:0/f32/strong/n:64");
  EXPECT_EQ(row().text(Column::details), "speed_up=1.9");
}

TEST_F(RowTest, TellsWhatItWasMeasuredBesideAndWhen) {
  measured_.line_up = "0.1.2";
  measured_.sweeps = {0, 1, 2, 4};
  measured_.processes = {0, 0, 0, 1};
  EXPECT_EQ(row().text(Column::line_up), "0.1.2");
  EXPECT_EQ(row().text(Column::sweeps), "0 1 2|4");
  EXPECT_FALSE(row().is_known(Column::details));
  measured_.unpaired = Unpaired::memory;
  EXPECT_EQ(row().text(Column::details), "unpaired=memory");
  measured_.unpaired = Unpaired::exclusive;
  EXPECT_EQ(row().text(Column::details), "unpaired=exclusive");
}

TEST_F(RowTest, SaysWhoseBudgetWasSpent) {
  measured_.end(Status::over_budget, "too long");
  EXPECT_FALSE(row().is_known(Column::stop_reason));
  measured_.stop = StopReason::budget;  // of the run: a resumed run takes it up
  EXPECT_EQ(row().text(Column::stop_reason), "budget");
}

}  // namespace
}  // namespace breakeven
