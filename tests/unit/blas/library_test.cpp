// SPDX-License-Identifier: Apache-2.0
#include "plugins/blas/library.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace breakeven::blas {
namespace {

Library open_blas(std::string core_type) {
  return {.name = "OpenBLAS", .version = "0.3.21", .build = "", .core_type = core_type};
}

#if defined(__x86_64__)
TEST(AdviceOnBlas, KernelsBelowTheProcessorAreNamedWithTheOptionThatHelps) {
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "nothing wider than the oldest kernels";
  const std::string advice = advice_on(open_blas("Prescott"), "");
  EXPECT_NE(advice.find("OpenBLAS runs Prescott kernels"), advice.npos) << advice;
  EXPECT_NE(advice.find("; set its option core="), advice.npos) << advice;
}

TEST(AdviceOnBlas, AChoiceThatCameFromOutsideIsSaidToBeNoneOfTheLibrary) {
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "nothing wider than the oldest kernels";
  const std::string advice = advice_on(open_blas("Prescott"), "PRESCOTT");
  EXPECT_NE(advice.find(", as OPENBLAS_CORETYPE tells it; set"), advice.npos) << advice;
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
  const Library mkl{.name = "MKL", .version = "2024", .build = "", .core_type = ""};
  EXPECT_EQ(advice_on(mkl, ""), "");
  EXPECT_EQ(
      advice_on(mkl, "HASWELL"),
      "its option core (OPENBLAS_CORETYPE=HASWELL) does nothing: the library is not OpenBLAS; "
      "leave it out");
}

TEST(LoadLibrary, IsUnknownWhereNoneWasLinked) {
  const Library library = load_library(linked_library);
  EXPECT_EQ(library.name, "unknown");
  EXPECT_EQ(set_threads(library, 1), 0u);
}

TEST(LoadLibrary, FindsRoutinesBehindPrefixAndSuffix) {
  const Library library = load_library(OTHER_CBLAS);
  EXPECT_EQ(library.name, "OpenBLAS");
  EXPECT_EQ(library.version, "9.8.7");
  EXPECT_TRUE(library.wide);
  EXPECT_EQ(library.f64.gemm, nullptr);
  ASSERT_NE(library.f32.gemm, nullptr);
  float c[11] = {};
  library.f32.gemm(101, 111, 112, 3, 4, Integer(1) << 40, 2, c, 6, c, 7, 8, c, 9);
  EXPECT_EQ(std::vector<float>(c, c + 11),
            (std::vector<float>{101, 111, 112, 3, 4, 0x1p40f, 2, 6, 7, 8, 9}));
}

TEST(SetThreads, SaysHowManyThereAreThen) {
  const Library library = load_library(OTHER_CBLAS);
  EXPECT_EQ(set_threads(library, 5), 2u);
  EXPECT_EQ(set_threads(library, 1), 1u);
}

std::string refusal_of(const std::string& path) {
  try {
    load_library(path);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(LoadLibrary, SaysInOneLineWhyNot) {
  EXPECT_EQ(refusal_of("/nowhere/libblas.so"),
            "option library is '/nowhere/libblas.so': it cannot be loaded (cannot open shared "
            "object file: No such file or directory); give the file of a CBLAS");
  EXPECT_EQ(refusal_of("libblas.so"),
            "option library is 'libblas.so': not an absolute path; give the file of a CBLAS");
  EXPECT_EQ(refusal_of(""), "option library is '': not an absolute path; give the file of a CBLAS");
  EXPECT_EQ(refusal_of("/dev/null"),
            "option library is '/dev/null': not a file; give the file of a CBLAS");
  EXPECT_EQ(refusal_of(NO_CBLAS),
            "option library is '" NO_CBLAS
            "': it has neither cblas_sgemm nor cblas_dgemm; give the file of a CBLAS");
}

}  // namespace
}  // namespace breakeven::blas
