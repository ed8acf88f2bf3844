// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/ceiling_log.hpp"

#include <gtest/gtest.h>

namespace breakeven {
namespace {

Ceilings peak(double value) {
  return {{"fma_f32_core", value, "flop/s"}};
}

double peak_between(const CeilingLog& log, std::int64_t begin_ns, std::int64_t end_ns) {
  const Ceilings ceilings = log.between(begin_ns, end_ns);
  const Ceiling* found = find(ceilings, "fma_f32_core");
  return found ? found->value : 0;
}

TEST(CeilingLog, CaseIsHeldAgainstTheMedianOfItsTime) {
  CeilingLog log;
  log.add(0, 10, peak(280));
  log.add(90, 100, peak(260));
  log.add(190, 200, peak(150));
  log.add(290, 300, peak(262));
  log.add(390, 400, peak(240));
  EXPECT_EQ(peak_between(log, 95, 320), 260);
  EXPECT_EQ(peak_between(log, 250, 1000), 251);
}

TEST(CeilingLog, WithoutOneOfItsTimeTheLastBeforeHolds) {
  CeilingLog log;
  log.add(0, 10, peak(280));
  log.add(90, 100, peak(260));
  log.add(390, 400, peak(240));
  EXPECT_EQ(peak_between(log, 150, 200), 260);
  EXPECT_EQ(peak_between(log, 150, 0), 260);  // not visited yet
  EXPECT_EQ(peak_between(log, 2, 5), 280);    // before all of them
}

// On a busy machine a kernel may not run at all for some milliseconds.
TEST(CeilingLog, WhatDidNotRunTakesNothingFromWhatIsKnown) {
  CeilingLog log;
  log.add(0, 10, peak(280));
  log.add(90, 100, peak(0));
  EXPECT_EQ(peak_between(log, 95, 320), 280);
}

TEST(CeilingLog, WhatIsNotMeasuredAgainStaysKnown) {
  CeilingLog log;
  log.add(0, 10, {{"fma_f32_core", 280, "flop/s"}, {"triad_core_l2", 90, "byte/s", 1e6}});
  log.add(90, 100, peak(260));
  const Ceilings ceilings = log.between(50, 200);
  ASSERT_EQ(ceilings.size(), 2u);
  EXPECT_EQ(find(ceilings, "fma_f32_core")->value, 260);
  EXPECT_EQ(find(ceilings, "triad_core_l2")->value, 90);
  EXPECT_EQ(find(ceilings, "triad_core_l2")->bytes, 1e6);
  EXPECT_EQ(find(ceilings, "triad_core_l2")->unit, "byte/s");
}

TEST(CeilingLog, MeasuringAgainTakesATwentiethOfTheTimeAtMost) {
  CeilingLog log;
  const std::string_view name = "fma_f32_core";
  EXPECT_FALSE(log.due_ns(name));
  log.add(100, 100, {{"fma_f32_core", 280, "flop/s"}, {"launch", 9, "ns"}});
  EXPECT_LE(log.due_ns(name), 100);
  log.add(100, 103, peak(270));
  EXPECT_EQ(log.due_ns(name), 163);
  EXPECT_LE(log.due_ns("launch"), 103);  // each has its own
  EXPECT_FALSE(log.due_ns("gemm_f32"));
}

// Nothing was measured: its worker ended. It is asked no more often for that.
TEST(CeilingLog, AFailedMeasurementChangesNoValue) {
  CeilingLog log;
  log.add(0, 100, peak(280));
  log.add(200, 210, {});
  EXPECT_GT(log.due_ns("fma_f32_core"), 400);
  EXPECT_EQ(peak_between(log, 150, 300), 280);
}

TEST(CeilingLog, ALongRunForgetsTheOldestOnly) {
  CeilingLog log;
  for (int i = 0; i < 10000; ++i) log.add(i * 100, i * 100 + 1, peak(i));
  EXPECT_EQ(peak_between(log, 999'900, 1'000'000), 9999);
  EXPECT_EQ(peak_between(log, 998'950, 999'100), 9990);
}

}  // namespace
}  // namespace breakeven
