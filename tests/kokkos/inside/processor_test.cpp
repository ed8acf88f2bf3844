// SPDX-License-Identifier: Apache-2.0
#include "openmp/processor.hpp"

#include <gtest/gtest.h>

#include <array>

namespace breakeven::kokkos {
namespace {

TEST(Processor, NamesTheFirstExtensionThatIsMissing) {
  const std::array<Extension, 3> wanted{{{"avx2", true}, {"avx512f", true}, {"avx512vl", true}}};
  EXPECT_EQ(missing_extension(wanted, std::array{true, false, false}), "avx512f");
  EXPECT_EQ(missing_extension(wanted, std::array{true, true, true}), "");
}

TEST(Processor, DoesNotAskForWhatTheCompilerDidNotUse) {
  const std::array<Extension, 2> wanted{{{"avx2", true}, {"avx512f", false}}};
  EXPECT_EQ(missing_extension(wanted, std::array{true, false}), "");
}

// This program was compiled for the processor it runs on.
TEST(Processor, ThisOneHasWhatTheCompilerUsed) {
#ifdef __AVX2__
  const std::array<Extension, extension_count> wanted = [] {
    std::array<Extension, extension_count> all{};
    all[4] = {"avx2", true};
    return all;
  }();
  EXPECT_EQ(missing_extension(wanted, present_extensions()), "");
#endif
}

}  // namespace
}  // namespace breakeven::kokkos
