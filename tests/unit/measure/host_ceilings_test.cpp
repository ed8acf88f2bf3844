// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/host_ceilings.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace breakeven {
namespace {

TEST(HostCeilings, EveryTypeAndMathHasABurstAndNothingElseIsMeasured) {
  const std::vector<std::string> names{"burst_f16", "burst_bf16", "burst_f32",  "burst_tf32",
                                       "burst_f64", "burst_f128", "burst_bytes"};
  const Ceilings found = host_ceilings_now(names);
  EXPECT_EQ(found.size(), names.size() - 1);
  for (const std::string& name : names) {
    const Ceiling* one = find(found, name);
    ASSERT_EQ(one != nullptr, name != "burst_f128") << name;
    if (!one) continue;
    EXPECT_GT(one->value, 0) << name;
    EXPECT_EQ(one->unit, name == "burst_bytes" ? "byte/s" : "flop/s");
  }
}

}  // namespace
}  // namespace breakeven
