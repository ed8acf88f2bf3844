// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/host_ceilings.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "suite/measure/peak_kernels.hpp"
#if defined(__x86_64__)
#include "suite/machine/x86_bf16.hpp"
#endif

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

TEST(HostCeilings, Bf16HasAPeakWhereThereIsAnInstructionForIt) {
  const PeakKernels& kernels = widest_kernels();
  const std::vector<std::string> names{"fma_bf16_core", "fma_bf16_all"};
  const Ceilings found = host_ceilings_now(names);
  EXPECT_EQ(found.size(), kernels.fma_bf16 ? names.size() : 0);
#if defined(__x86_64__)
  EXPECT_EQ(kernels.fma_bf16 != nullptr, may_use_amx() || vdpbf16ps_is_fast());
#endif
  if (!kernels.fma_bf16) GTEST_SKIP() << "this processor has no instruction for it";
  // Every round adds the same, to every one of the sums.
  const double none = kernels.fma_bf16(0, 1, 0.5);
  EXPECT_GT(kernels.fma_bf16(1, 1, 0.5), none);
  EXPECT_EQ(kernels.fma_bf16(8, 1, 0.5) - none, 8 * (kernels.fma_bf16(1, 1, 0.5) - none));
}

}  // namespace
}  // namespace breakeven
