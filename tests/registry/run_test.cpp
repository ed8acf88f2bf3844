// SPDX-License-Identifier: Apache-2.0
// What a run writes down of the conditions that a backend meets and reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "reports/reader/report.hpp"
#include "tests/support/program.hpp"

namespace breakeven::test {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class Conditions : public testing::Test {
 protected:
  void TearDown() override { fs::remove(report_); }

  // One small product on this animal of the zoo.
  Report measure(const std::string& animal, std::vector<std::string> more = {},
                 const std::vector<std::string>& environment = {}) {
    std::vector<std::string> arguments{
        "run",       "--plugin",      required_variable("BREAKEVEN_ZOO") + "/" + animal + ".so",
        "--backend", animal,          "--case",
        "matmul",    "--mode",        "resident",
        "--type",    "f32",           "--size",
        "8",         "--case-budget", "1s",
        "--out",     report_.string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_NE(breakeven(arguments, environment).status, 2);
    return Report::read(report_.string());
  }

  static std::map<std::string, std::string> pairs(const RowView& row, Column column) {
    const Pairs found = row.pairs(column);
    return {found.begin(), found.end()};
  }

  const fs::path report_ =
      fs::path(testing::TempDir()) / ("breakeven_conditions_" + std::to_string(getpid()) + ".csv");
};

TEST_F(Conditions, OptionsAreInTheRowAsTheyHold) {
  const Report report = measure("wants-environment", {"--option", "wants-environment.visitors=3"});
  EXPECT_EQ(report.row(0).text(Column::options), "keeper=nobody visitors=3");
  EXPECT_EQ(report.row(0).text(Column::run_options),
            "backend=wants-environment case=matmul mode=resident type=f32 size=8 case-budget=1s "
            "option=wants-environment.visitors=3");
}

TEST_F(Conditions, VariablesAreInTheRowGivenOrInherited) {
  const Report report =
      measure("wants-environment", {}, {"OMP_NUM_THREADS=3", "NVIDIA_TF32_OVERRIDE=0", "SECRET=x"});
  auto environment = pairs(report.row(0), Column::environment);
  EXPECT_EQ(environment["ZOO_FENCE"], "high");
  EXPECT_EQ(environment["OMP_NUM_THREADS"], "3");
  EXPECT_EQ(environment["NVIDIA_TF32_OVERRIDE"], "0");
  EXPECT_FALSE(environment.contains("SECRET"));
  EXPECT_TRUE(environment.contains("observed_binding"));
}

TEST_F(Conditions, ADeviceThatSlowsDownDisturbsItsVisitsAndIsLabelled) {
  const Report report = measure("runs-hot");
  const RowView row = report.row(0);
  EXPECT_EQ(row.integer(Column::disturbed), row.integer(Column::n_visits));
  EXPECT_THAT(std::string(row.text(Column::disturbances)), HasSubstr("thermal slowdown"));
  auto details = pairs(row, Column::details);
  ASSERT_TRUE(details.contains("power_capped"));
  EXPECT_GT(std::stod(details["power_capped"]), 0);
}

TEST_F(Conditions, APluginThatComputesOtherwiseThanTheOthersHasNoTime) {
  const Report report = measure("disturbs", {"--option", "disturbs.what=denormal-numbers"});
  EXPECT_EQ(report.row(0).status(), Status::failed);
  EXPECT_THAT(std::string(report.row(0).text(Column::reason)),
              HasSubstr("the plugin changed denormal numbers: kept before, zero now"));
}

TEST_F(Conditions, ADeviceWithoutMemoryForACeilingHasNoTime) {
  const Report report = measure("refuses-ceilings");
  EXPECT_EQ(report.row(0).status(), Status::out_of_memory);
  EXPECT_THAT(std::string(report.row(0).text(Column::reason)), HasSubstr("ceiling"));
}

TEST_F(Conditions, ADeviceThatSaysNothingOfTheSortIsNot) {
  const Report report = measure("sound");
  EXPECT_EQ(std::string(report.row(0).text(Column::disturbances)).find("thermal"),
            std::string::npos);
  EXPECT_FALSE(pairs(report.row(0), Column::details).contains("power_capped"));
}

// Whatever it computes later, or computed before.
TEST_F(Conditions, AResultThatIsWrongBeforeOrAfterTheTimingHasNoTime) {
  for (const char* animal : {"learns", "forgets"}) {
    const Report report = measure(animal);
    const RowView row = report.row(0);
    EXPECT_EQ(row.status(), Status::wrong) << animal;
    EXPECT_THAT(std::string(row.text(Column::reason)), HasSubstr("c[0,0] is")) << animal;
    EXPECT_FALSE(row.is_known(Column::median_ns)) << animal;
    EXPECT_FALSE(row.is_known(Column::samples_ns)) << animal;
    fs::remove(report_);
  }
}

TEST_F(Conditions, EverySampleOfAFirstUseHasAProcessOfItsOwn) {
  const Report report = measure("knows-one-trick", {"--case", "first-use", "--mode", "first-run"});
  ASSERT_EQ(report.size(), 2u);
  for (std::size_t i = 0; i < report.size(); ++i) {
    const RowView row = report.row(i);
    const bool is_first_use = row.text(Column::case_name) == "first-use";
    EXPECT_EQ(row.status(), is_first_use ? Status::ok : Status::wrong) << row.text(Column::name);
    if (!is_first_use) continue;
    EXPECT_EQ(row.integer(Column::n_samples), row.integer(Column::n_visits));
    EXPECT_GE(row.integer(Column::n_visits), 10);
    EXPECT_EQ(row.text(Column::stop_reason), "visits");
  }
}

TEST_F(Conditions, ReadingsTellTheDeviceTheHostAndTheTimer) {
  const Report report = measure("sound");
  for (const Column column : {Column::readings_before, Column::readings_after}) {
    auto readings = pairs(report.row(0), column);
    EXPECT_TRUE(readings.contains("visitors"));
    EXPECT_TRUE(readings.contains("host_involuntary_switches"));
    EXPECT_GT(std::stod(readings["timer_resolution_ns"]), 0);
    EXPECT_GT(std::stod(readings["timer_overhead_ns"]), 0);
  }
}

}  // namespace
}  // namespace breakeven::test
