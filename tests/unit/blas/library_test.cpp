// SPDX-License-Identifier: Apache-2.0
#include "plugins/blas/library.hpp"

#include <gtest/gtest.h>

namespace breakeven::blas {
namespace {

Library open_blas(std::string core_type) {
  return {"OpenBLAS", "0.3.21", "", core_type};
}

#if defined(__x86_64__)
TEST(AdviceOnBlas, KernelsBelowTheProcessorAreNamedWithTheOptionThatHelps) {
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "nothing wider than the oldest kernels";
  const std::string advice = advice_on(open_blas("Prescott"), "");
  EXPECT_NE(advice.find("OpenBLAS runs Prescott kernels"), advice.npos) << advice;
  EXPECT_NE(advice.find("--option blas.core="), advice.npos) << advice;
}

TEST(AdviceOnBlas, AChoiceThatCameFromOutsideIsSaidToBeNoneOfTheLibrary) {
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "nothing wider than the oldest kernels";
  const std::string advice = advice_on(open_blas("Prescott"), "PRESCOTT");
  EXPECT_NE(advice.find(", as OPENBLAS_CORETYPE tells it; try"), advice.npos) << advice;
}

TEST(AdviceOnBlas, Avx2KernelsAreTooNarrowOnlyForAvx512) {
  EXPECT_EQ(advice_on(open_blas("Haswell"), "").empty(), !__builtin_cpu_supports("avx512bw"));
}
#endif

TEST(AdviceOnBlas, TheWidestKernelsNeedNone) {
  EXPECT_EQ(advice_on(open_blas("SkylakeX"), ""), "");
  EXPECT_EQ(advice_on(open_blas("SkylakeX"), "SKYLAKEX"), "");
}

TEST(AdviceOnBlas, ACoreTypeThatOpenBlasDidNotTakeIsNamed) {
  const std::string advice = advice_on(open_blas("SkylakeX"), "NOSUCH");
  EXPECT_EQ(advice, "OpenBLAS does not know the core type NOSUCH and runs SkylakeX kernels");
}

TEST(AdviceOnBlas, OtherLibrariesChooseForThemselves) {
  EXPECT_EQ(advice_on({"MKL", "2024", "", ""}, ""), "");
}

TEST(LoadedLibrary, IsUnknownWhereNoneAnswers) {
  EXPECT_EQ(loaded_library().name, "unknown");
  EXPECT_FALSE(set_threads(1));
}

}  // namespace
}  // namespace breakeven::blas
