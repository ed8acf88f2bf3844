// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "guarded_memory.hpp"
#include "plugins/serial/kernels/kernels.hpp"
#include "plugins/serial/kernels/targets.hpp"

namespace breakeven::serial {
namespace {

template <class T>
const Kernels<T>& kernels(const Variant& variant) {
  if constexpr (sizeof(T) == 4)
    return variant.f32;
  else
    return variant.f64;
}

// Small integers: every order of summation gives the same bits.
int integer(std::size_t i, std::size_t j) {
  return int((i * 7 + j * 13 + i * j) % 5) - 2;
}

template <class T>
void store_integers(T* values, std::size_t rows, std::size_t columns, bool transposed, int seed) {
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      values[transposed ? j * rows + i : i * columns + j] = T(integer(i + std::size_t(seed), j));
}

template <class T>
std::vector<T> stored(std::size_t rows, std::size_t columns, bool transposed, int seed) {
  std::vector<T> values(rows * columns);
  store_integers(values.data(), rows, columns, transposed, seed);
  return values;
}

template <class T>
void run(const Kernels<T>& kernels, const GemmShape& shape, T alpha, const std::vector<T>& a,
         const std::vector<T>& b, T beta, std::vector<T>& c) {
  const GemmPlan<T> plan = kernels.plan_gemm(shape);
  // Exactly as large as asked for, so that the sanitizer sees the end.
  struct Free {
    void operator()(T* data) const { ::operator delete[](data, std::align_val_t(64)); }
  };
  const std::unique_ptr<T, Free> workspace(
      static_cast<T*>(::operator new[](plan.workspace_elements * sizeof(T), std::align_val_t(64))));
  plan.run(plan, 1, alpha, a.data(), b.data(), beta, c.data(), workspace.get());
}

std::string describe(const GemmShape& shape) {
  return std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" + std::to_string(shape.k) +
         (shape.transpose_a ? " a transposed" : "") + (shape.transpose_b ? " b transposed" : "");
}

// sums[k][i][j]: the products of the leading parts of two fixed matrices, for every k.
constexpr std::size_t edge = 40;
const std::vector<int>& leading_sums() {
  static const std::vector<int> sums = [] {
    std::vector<int> all((edge + 1) * edge * edge);
    for (std::size_t k = 0; k < edge; ++k)
      for (std::size_t i = 0; i < edge; ++i)
        for (std::size_t j = 0; j < edge; ++j)
          all[((k + 1) * edge + i) * edge + j] =
              all[(k * edge + i) * edge + j] + integer(i, k) * integer(k + 3, j);
    return all;
  }();
  return sums;
}

// Under AddressSanitizer, and where the processor is emulated.
bool is_slow() {
#if defined(__SANITIZE_ADDRESS__)
  return true;
#else
  return std::getenv("BREAKEVEN_EMULATED") != nullptr;
#endif
}

struct Form {
  const Variant* variant;
  bool transpose_a, transpose_b;
};

class SerialGemm : public testing::TestWithParam<Form> {
 protected:
  void SetUp() override {
    if (!GetParam().variant->usable()) GTEST_SKIP() << "not on this processor";
  }

  GemmShape shape(std::size_t m, std::size_t n, std::size_t k) const {
    return {GetParam().transpose_a, GetParam().transpose_b, m, n, k};
  }

  template <class T>
  void expect_exact_edges() const {
    const std::size_t every =
        is_slow() ? 11 : 1;  // prime to the edge: all values of m, n and k meet
    const std::vector<int>& sums = leading_sums();
    const GuardedMemory memory_a(edge * edge * sizeof(T)), memory_b(edge * edge * sizeof(T)),
        memory_c(edge * edge * sizeof(T)), workspace(1 << 20);
    // Operands lie in turn before and after memory that cannot be touched.
    const auto place = [](const GuardedMemory& memory, std::size_t count, bool last) {
      return last ? memory.last<T>(count) : memory.first<T>();
    };
    for (std::size_t index = 0; index < edge * edge * edge; index += every) {
      const GemmShape s = shape(1 + index % edge, 1 + index / edge % edge, 1 + index / edge / edge);
      const T alpha = T(index % 3) - 1, beta = T(int(index % 4) - 1);
      T* const a = place(memory_a, s.m * s.k, index % 2);
      T* const b = place(memory_b, s.k * s.n, index % 2);
      T* const c = place(memory_c, s.m * s.n, index % 2);
      store_integers(a, s.m, s.k, s.transpose_a, 0);
      store_integers(b, s.k, s.n, s.transpose_b, 3);
      store_integers(c, s.m, s.n, false, 7);
      if (beta == 0) std::fill_n(c, s.m * s.n, std::numeric_limits<T>::quiet_NaN());
      const GemmPlan<T> plan = kernels<T>(*GetParam().variant).plan_gemm(s);
      ASSERT_LE(plan.workspace_elements * sizeof(T), std::size_t(1) << 20);
      const std::size_t aligned = (plan.workspace_elements * sizeof(T) + 63) / 64 * 64;
      plan.run(plan, 1, alpha, a, b, beta, c, workspace.last<T>(aligned / sizeof(T)));
      for (std::size_t i = 0; i < s.m; ++i)
        for (std::size_t j = 0; j < s.n; ++j)
          ASSERT_EQ(c[i * s.n + j],
                    alpha * T(sums[(s.k * edge + i) * edge + j]) + beta * T(integer(i + 7, j)))
              << describe(s) << " at " << i << "," << j;
    }
  }

  // Rows and columns are sampled.
  template <class T>
  void expect_exact(const GemmShape& s, T beta) const {
    const auto a = stored<T>(s.m, s.k, s.transpose_a, 0);
    const auto b = stored<T>(s.k, s.n, s.transpose_b, 3);
    std::vector<T> c = stored<T>(s.m, s.n, false, 7);
    if (beta == 0) c.assign(c.size(), std::numeric_limits<T>::quiet_NaN());
    run(kernels<T>(*GetParam().variant), s, T(2), a, b, beta, c);
    for (std::size_t i = 0; i < s.m; i += 1 + s.m / 23)
      for (std::size_t j = 0; j < s.n; j += 1 + s.n / 211) {
        int sum = 0;
        for (std::size_t p = 0; p < s.k; ++p) sum += integer(i, p) * integer(p + 3, j);
        ASSERT_EQ(c[i * s.n + j], T(2 * sum) + beta * T(integer(i + 7, j)))
            << describe(s) << " at " << i << "," << j;
      }
  }
};

TEST_P(SerialGemm, IsExactOnIntegersForEveryEdgeInF32) {
  expect_exact_edges<float>();
}
TEST_P(SerialGemm, IsExactOnIntegersForEveryEdgeInF64) {
  expect_exact_edges<double>();
}

TEST_P(SerialGemm, IsExactWhereBIsPackedOrKIsCut) {
  for (const auto& [m, n, k] : {std::array<std::size_t, 3>{67, 1000, 1111},
                                {33, 811, 2050},
                                {40, 811, 40},
                                {40, 811, 1},
                                {40, 811, 0},
                                {35, 4097, 65},
                                {41, 130, 4100},
                                {50, 13, 3000},
                                {50, 7, 3000},
                                {61, 104, 1500},
                                {61, 99, 900},
                                {70, 257, 300},  // rows begin inside of lines
                                {145, 76, 90},
                                {45, 68, 130},   // the last columns apart where a is transposed
                                {16, 125, 100},  // eights of rows, and more than four vectors
                                {40, 131, 90},
                                {61, 1100, 3000},  // from memory
                                {16, 3000, 1100},
                                {29, 1001, 700},  // from the third cache
                                {1700, 90, 2100},
                                {1024, 256, 660},  // steps of a transposed a are whole pages
                                {131, 37, 100},    // a third of the last vector is empty
                                {1501, 260, 1103},
                                {1024, 1007, 24},  // a large c, and few steps
                                {1024, 3300, 20}}) {
    if (std::getenv("BREAKEVEN_EMULATED") && m * n * k > 60'000'000) continue;
    expect_exact<float>(shape(m, n, k), 0);
    expect_exact<float>(shape(m, n, k), -1);
    expect_exact<double>(shape(m, n, k), 2);
  }
}

TEST_P(SerialGemm, IsExactForVectorsAndFewRows) {
  for (const auto& [m, n, k] : {std::array<std::size_t, 3>{1, 1025, 1030},
                                {1030, 1, 1025},
                                {1, 131, 1047},
                                {1, 250, 300},  // as wide as one tile of a Zen 5
                                {1, 440, 300},
                                {1, 4099, 2051},
                                {1, 1, 3000},
                                {7, 1500, 700},
                                {900, 3, 1000},
                                {900, 2, 1000},
                                {67, 5, 301},
                                {131, 6, 256},
                                {701, 1, 1054},  // from the third cache, row by row
                                {8, 1024, 830},  // rows of b are whole pages
                                {21, 1024, 830},
                                {25, 1001, 830},  // panels of unlike height
                                {5, 3001, 1100},  // from memory, by one tile of all rows
                                {11, 3001, 1100},
                                {3, 999, 2001},
                                {57, 480, 1},  // long rows of a few steps, one by one
                                {4, 1001, 3},
                                {300, 1001, 4},
                                {70, 512, 7},
                                {100, 12, 200},  // few columns
                                {37, 6, 61},
                                {8, 3, 144},
                                {1, 608, 5},  // one row of a few steps
                                {1, 12557, 7},
                                {16, 24, 1024},  // rows of a are whole pages apart
                                {25, 7, 2048},
                                {15, 5008, 6},
                                {5, 301, 2},
                                {70, 512, 8}}) {
    expect_exact<float>(shape(m, n, k), 0);
    expect_exact<float>(shape(m, n, k), -1);
    expect_exact<double>(shape(m, n, k), 1);
  }
}

// Rows of a b beyond the first caches; the last columns are computed twice.
TEST_P(SerialGemm, OneRowOfEveryMatrixOfABatchIsItsOwn) {
  const std::size_t n = 1003, k = 301;
  const GemmShape s = shape(1, n, k);
  std::vector<float> a(2 * k, 1), b(2 * k * n, 1), c(2 * n, 3), workspace(1 << 20);
  std::fill_n(a.begin() + k, k, -2.0f);
  b[s.transpose_b ? (n - 1) * k + k / 2 : k / 2 * n + n - 1] = std::nanf("");
  const auto plan = kernels<float>(*GetParam().variant).plan_gemm(s);
  ASSERT_LE(plan.workspace_elements, workspace.size() - 16);
  void* aligned = workspace.data();
  std::size_t space = workspace.size() * sizeof(float);
  std::align(64, plan.workspace_elements * sizeof(float), aligned, space);
  plan.run(plan, 2, 2.0f, a.data(), b.data(), -1.0f, c.data(), static_cast<float*>(aligned));
  for (std::size_t j = 0; j < 2 * n; ++j)
    if (j == n - 1)
      ASSERT_TRUE(std::isnan(c[j]));
    else
      ASSERT_EQ(c[j], (j < n ? 2.0f : -4.0f) * float(k) - 3) << j;
}

// With a transposed, c of the transposed product, turned round.
TEST_P(SerialGemm, FewColumnsOfEveryMatrixOfABatchAreItsOwn) {
  const std::size_t m = 37, n = 3, k = 41;
  const GemmShape s = shape(m, n, k);
  std::vector<double> a, b, c(2 * m * n, 1);
  for (int i = 1; i <= 2; ++i) {
    for (const double value : stored<double>(m, k, s.transpose_a, 0)) a.push_back(i * value);
    for (const double value : stored<double>(k, n, s.transpose_b, 3)) b.push_back(i * value);
  }
  const auto plan = kernels<double>(*GetParam().variant).plan_gemm(s);
  const GuardedMemory workspace(1 << 16);
  const std::size_t aligned = (plan.workspace_elements + 7) / 8 * 8;
  plan.run(plan, 2, 1.0, a.data(), b.data(), 2.0, c.data(), workspace.last<double>(aligned));
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      int sum = 0;
      for (std::size_t p = 0; p < k; ++p) sum += integer(i, p) * integer(p + 3, j);
      ASSERT_EQ(c[i * n + j], sum + 2) << describe(s) << " at " << i << "," << j;
      ASSERT_EQ(c[(m + i) * n + j], 4 * sum + 2) << describe(s) << " at " << i << "," << j;
    }
}

TEST_P(SerialGemm, SumsShorterThanAVectorAreNotFolded) {
  if (GetParam().transpose_a || GetParam().transpose_b) GTEST_SKIP();
  const auto plan = kernels<float>(*GetParam().variant).plan_gemm;
  EXPECT_NE(plan(shape(2, 2, 16)).folded, 0u);
  EXPECT_EQ(plan(shape(2, 2, 2)).folded, 0u);
}

TEST_P(SerialGemm, AColumnMoreThanVectorsIsFoldedFromTwoLongVectorsOfStepsOn) {
  if (GetParam().transpose_a || GetParam().transpose_b) GTEST_SKIP();
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  const auto plan = kernels<double>(*GetParam().variant).plan_gemm;
  EXPECT_EQ(plan(shape(17, 17, 15)).folded, 0u);
  EXPECT_EQ(plan(shape(17, 17, 17)).folded, 1u);
}

#if defined(__x86_64__)
TEST_P(SerialGemm, AHalfVectorOfColumnsHasTilesOfItsOwnWhereItTakesHalfTheTime) {
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  if (!cpu::computes_halves()) GTEST_SKIP() << "it takes as long as a whole one";
  if (GetParam().transpose_a && GetParam().transpose_b) GTEST_SKIP() << "c is turned round";
  const auto plan = kernels<double>(*GetParam().variant).plan_gemm;
  const std::size_t columns = GetParam().transpose_b ? 0 : 4;  // then all of b is packed
  EXPECT_EQ(plan(shape(100, 100, 100)).halved, columns);
  EXPECT_EQ(plan(shape(61, 99, 900)).halved, columns - columns / 4);
  EXPECT_EQ(plan(shape(100, 101, 100)).halved, 0u);
}
#endif

#if defined(__x86_64__)
TEST_P(SerialGemm, FewRowsReadAFarBByOneTileThatAsksForWhatTheNextOneReads) {
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  if (cpu::computes_halves()) GTEST_SKIP() << "it asks for the next pass instead";
  if (GetParam().transpose_b) GTEST_SKIP() << "then b is packed";
  if (cpu::is_intel()) GTEST_SKIP() << "it has rules of its own";
  const auto plan = kernels<float>(*GetParam().variant).plan_gemm;
  const std::size_t far = 1100, pages = 1024;  // beside 3001 columns; columns
  for (const GemmShape& few : {shape(2, 3001, far), shape(8, 3001, far), shape(9, 3001, far),
                               shape(12, 3001, far), shape(7, pages, 830), shape(12, pages, 830)}) {
    EXPECT_FALSE(plan(few).packed) << describe(few);
    EXPECT_TRUE(plan(few).asks_for_group) << describe(few);
    EXPECT_EQ(plan(few).panels.parts, 1u) << describe(few);
    EXPECT_EQ(plan(few).group, 1u) << describe(few);
  }
  EXPECT_TRUE(plan(shape(13, 3001, far)).packed);
  EXPECT_TRUE(plan(shape(13, pages, 830)).packed);
  EXPECT_FALSE(plan(shape(24, pages, 830)).packed);
  EXPECT_EQ(plan(shape(25, 1001, 830)).panels.parts, 3u);
  EXPECT_FALSE(plan(shape(6, pages, 830)).asks_for_group);
  EXPECT_FALSE(plan(shape(12, 1001, 830)).asks_for_group);
}
TEST_P(SerialGemm, AnIntelReadsFewRowsBInItsPlaceAndAsksForIt) {
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  if (!cpu::is_intel()) GTEST_SKIP() << "others have rules of their own";
  if (GetParam().transpose_b) GTEST_SKIP() << "then b is packed";
  const auto plan = [&](std::size_t m, std::size_t n, std::size_t k) {
    return kernels<float>(*GetParam().variant).plan_gemm(shape(m, n, k));
  };
  for (const std::size_t m : {2, 8, 9, 48}) {
    EXPECT_FALSE(plan(m, 1000, 1000).packed) << m;
    EXPECT_TRUE(plan(m, 1000, 1000).reads_rows) << m;
    EXPECT_EQ(plan(m, 1000, 1000).steps_ahead, 8u) << m;
    // Of what the second cache holds there is nothing to ask for.
    EXPECT_EQ(plan(m, 1000, 500).line_step, 0u) << m;
    EXPECT_EQ(plan(m, 1000, 500).k_block, 500u) << m;
  }
  // All rows of the next pass.
  EXPECT_EQ(plan(8, 1000, 1000).line_step, 0u);
  for (const auto& all : {plan(9, 1000, 1000), plan(48, 1000, 1000), plan(40, 5000, 300)})
    EXPECT_GE(all.line_step * all.tiles.parts * all.panels.parts, all.shape.n) << all.shape.n;
  EXPECT_EQ(plan(8, 1024, 1024).steps_ahead, 0u);  // rows of whole pages
  EXPECT_NE(plan(8, 1024, 1024).line_step, 0u);
  // More rows read what was packed; of a small b, where its rows begin inside of lines.
  EXPECT_TRUE(plan(49, 1000, 1000).packed);
  EXPECT_EQ(plan(49, 1000, 1000).line_step, 1000u);
  EXPECT_FALSE(plan(400, 400, 400).packed);
  EXPECT_FALSE(plan(400, 400, 400).reads_rows);
  EXPECT_EQ(plan(400, 401, 401).reads_rows, !plan(400, 401, 401).turned);
  EXPECT_TRUE(plan(500, 500, 500).packed);
}
// What lies beyond 6 MB; nearer, 16 rows read it where it lies.
TEST_P(SerialGemm, AZen4CopiesAFarBFromNineRowsOnAndAsksForWhatComesNext) {
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  if (!cpu::computes_halves()) GTEST_SKIP() << "others have rules of their own";
  if (GetParam().transpose_b) GTEST_SKIP() << "then b is packed";
  const auto plan = kernels<float>(*GetParam().variant).plan_gemm;
  EXPECT_FALSE(plan(shape(8, 3001, 1100)).packed);
  for (const std::size_t m : {9, 64, 200}) {
    EXPECT_TRUE(plan(shape(m, 3001, 1100)).packed) << m;
    EXPECT_TRUE(plan(shape(m, 3001, 1100)).asks_for_group) << m;
    EXPECT_EQ(plan(shape(m, 3001, 1100)).group, 1u) << m;
  }
  EXPECT_FALSE(plan(shape(201, 3001, 1100)).asks_for_group);
  EXPECT_FALSE(plan(shape(16, 1001, 830)).packed);
  EXPECT_TRUE(plan(shape(17, 1001, 830)).packed);
  EXPECT_FALSE(plan(shape(17, 1001, 830)).asks_for_group);
}
TEST_P(SerialGemm, RowsThatAreWholePagesApartHaveLowTiles) {
  const std::string_view name = GetParam().variant->name;
  if (name != "avx2" && name.substr(0, 6) != "avx512") GTEST_SKIP() << "others were not measured";
  if (GetParam().transpose_a) GTEST_SKIP() << "then steps are whole pages apart";
  const auto plan = kernels<float>(*GetParam().variant).plan_gemm;
  for (const std::size_t n : {7, 8, 12, 16, 24})
    for (const std::size_t m : {15, 24, 100}) {
      const auto low = plan(shape(m, n, 1024));
      const std::size_t most = name == "avx2" || cpu::computes_halves() ? 8 : 13;
      EXPECT_LE(low.panels[0], most) << m << ' ' << n;
      EXPECT_LE(low.halved_panels[0], most) << m << ' ' << n;
    }
}
TEST_P(SerialGemm, OneStepLiesTheSameWayEitherWay) {
  const auto plan = kernels<float>(*GetParam().variant).plan_gemm(shape(20, 30, 1));
  EXPECT_FALSE(plan.shape.transpose_a);
  EXPECT_FALSE(plan.shape.transpose_b);
  EXPECT_EQ(plan.turned, nullptr);
}
TEST_P(SerialGemm, AZen4SumsColumnsThatLieAlongAndFillNoVector) {
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  if (!cpu::computes_halves()) GTEST_SKIP() << "others were not measured";
  if (GetParam().transpose_a || !GetParam().transpose_b) GTEST_SKIP() << "they do not";
  // Nothing is cut into tiles then.
  const auto is_summed = [&](std::size_t m, std::size_t n, std::size_t k) {
    return kernels<float>(*GetParam().variant).plan_gemm(shape(m, n, k)).tiles.parts == 0;
  };
  EXPECT_TRUE(is_summed(192, 6, 80));
  EXPECT_TRUE(is_summed(512, 10, 1500));
  EXPECT_TRUE(is_summed(1000, 24, 500));
  EXPECT_FALSE(is_summed(1000, 16, 1000));   // they fill one
  EXPECT_FALSE(is_summed(1000, 20, 500));    // four are folded
  EXPECT_FALSE(is_summed(100, 15, 100));     // too few steps
  EXPECT_FALSE(is_summed(10000, 12, 1000));  // a comes from memory
}
TEST_P(SerialGemm, AZen4ReadsATallAOnceBesideASmallB) {
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  if (!cpu::computes_halves()) GTEST_SKIP() << "others have rules of their own";
  if (GetParam().transpose_a || GetParam().transpose_b) GTEST_SKIP() << "other ways to read them";
  const auto plan = kernels<float>(*GetParam().variant).plan_gemm;
  const auto tall = plan(shape(10000, 192, 200)), lower = plan(shape(4000, 192, 200));
  EXPECT_EQ(tall.group, tall.tiles.parts);
  EXPECT_EQ(tall.most_panels, 1u);
  EXPECT_EQ(lower.group, 1u);
  EXPECT_GT(lower.most_panels, 1u);
}
// So many rows of c its caches foresee; a copied a is multiplied panel by panel.
TEST_P(SerialGemm, AnIntelMultipliesAFewPanelsWithEveryPackedTileOfB) {
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  if (!cpu::is_intel()) GTEST_SKIP() << "others have rules of their own";
  for (const std::size_t k : {16, 100, 340, 2000}) {
    const auto plan = kernels<float>(*GetParam().variant).plan_gemm(shape(1000, 1000, k));
    ASSERT_TRUE(plan.packed) << k;
    const std::size_t rows = plan.most_panels * plan.panels[0];
    EXPECT_LE(rows, 36u) << k;
    EXPECT_GE(rows, plan.copies_a ? plan.panels[0] : 18u) << k;
    if (plan.copies_a) {
      EXPECT_EQ(plan.most_panels, 1u) << k;
    }
  }
}
TEST_P(SerialGemm, AnIntelWritesALargeCInLongPieces) {
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  if (!cpu::is_intel()) GTEST_SKIP() << "others have rules of their own";
  const auto plan = [&](std::size_t m, std::size_t n, std::size_t k) {
    return kernels<float>(*GetParam().variant).plan_gemm(shape(m, n, k));
  };
  // Too few steps to foresee a row of c: every tile asks for the one to its right.
  const auto few_steps = plan(1000, 1000, 8);
  EXPECT_TRUE(few_steps.asks);
  EXPECT_EQ(few_steps.most_panels, 1u);
  EXPECT_FALSE(plan(200, 1000, 8).asks);  // of a small c
  if (GetParam().transpose_a || GetParam().transpose_b) return;
  // A small b: all tiles of a few rows before the rows below.
  for (const auto& tall : {plan(5000, 500, 32), plan(5000, 300, 150)}) {
    EXPECT_FALSE(tall.packed);
    EXPECT_EQ(tall.group, tall.tiles.parts);
    EXPECT_LE(tall.most_panels * tall.panels[0], 36u);
  }
  // Few rows: as many tiles at a time as the second cache holds of b beside the next ones.
  for (const std::size_t k : {20, 100, 500, 1000}) {
    const auto few_rows = plan(200, 5000, k);
    ASSERT_FALSE(few_rows.asks_row_by_row) << k;
    ASSERT_TRUE(few_rows.asks_for_group) << k;
    const std::size_t bytes_of_tile = few_rows.k_block * few_rows.tiles[0] * 64;
    EXPECT_EQ(few_rows.group, std::max<std::size_t>(1, (192 << 10) / bytes_of_tile)) << k;
  }
}
TEST_P(SerialGemm, LongRowsOfAFewStepsAreMadeOneByOne) {
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  if (GetParam().transpose_b) GTEST_SKIP() << "then b is turned round";
  // Nothing is cut into tiles then.
  const auto is_by_rows = [&](std::size_t m, std::size_t n, std::size_t k) {
    return kernels<float>(*GetParam().variant).plan_gemm(shape(m, n, k)).tiles.parts == 0;
  };
  const bool intel = cpu::is_intel(), zen4 = cpu::computes_halves();
  EXPECT_EQ(is_by_rows(1000, 512, 2), intel || zen4);
  EXPECT_EQ(is_by_rows(1000, 512, 7), intel);  // a Zen 4 makes longer ones of so many steps
  EXPECT_EQ(is_by_rows(1000, 640, 7), intel || zen4);
  EXPECT_EQ(is_by_rows(4, 1001, 3), intel || zen4);
  EXPECT_FALSE(is_by_rows(1000, 512, 8));
  EXPECT_FALSE(is_by_rows(1000, 1001, 5));     // rows begin inside of lines
  EXPECT_EQ(is_by_rows(20, 480, 3), zen4);     // the first cache holds c
  EXPECT_FALSE(is_by_rows(3000, 1000, 2));     // the second one not half of it
  EXPECT_EQ(is_by_rows(3000, 1000, 1), zen4);  // but of one step,
  EXPECT_EQ(is_by_rows(10000, 512, 3), zen4);  // or of short rows
  EXPECT_EQ(is_by_rows(40, 4000, 4), zen4);    // nor the first one b, but for some columns
  EXPECT_FALSE(is_by_rows(4, 4000, 4));        // which few rows do not make up for
  EXPECT_EQ(is_by_rows(1000, 256, 2), zen4);
  EXPECT_FALSE(is_by_rows(1000, 64, 2));
}
TEST_P(SerialGemm, AnIntelCopiesAFarBOfLongRowsForTwentyRows) {
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  if (!cpu::is_intel()) GTEST_SKIP() << "others have rules of their own";
  if (GetParam().transpose_a || GetParam().transpose_b) GTEST_SKIP() << "other ways to read them";
  const auto reads_rows = [&](std::size_t m, std::size_t n, std::size_t k) {
    return kernels<double>(*GetParam().variant).plan_gemm(shape(m, n, k)).reads_rows;
  };
  EXPECT_TRUE(reads_rows(19, 5000, 64));
  EXPECT_FALSE(reads_rows(20, 5000, 64));
  EXPECT_TRUE(reads_rows(20, 5000, 36));    // near
  EXPECT_TRUE(reads_rows(32, 1000, 1000));  // passes of many steps
  EXPECT_TRUE(reads_rows(32, 2000, 2000));  // from memory
}
TEST_P(SerialGemm, AnIntelAsksMemoryRowByRowForTheNextBlockOfB) {
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  if (!cpu::is_intel()) GTEST_SKIP() << "others have rules of their own";
  if (GetParam().transpose_b) GTEST_SKIP() << "turned round before it is read";
  for (const std::size_t m : {37, 48, 64, 100, 200}) {
    const auto plan = kernels<double>(*GetParam().variant).plan_gemm(shape(m, 2000, 2000));
    ASSERT_TRUE(plan.asks_row_by_row) << m;
    ASSERT_TRUE(plan.packed) << m;
    EXPECT_EQ(plan.most_panels, 1u) << m;
    // Every line of a row, and every row, as far as whole tiles and shares of k allow.
    const std::size_t columns = plan.group * plan.tiles[0] * 8;
    EXPECT_LE(plan.line_step, 8u) << m;
    EXPECT_GE(plan.line_step * plan.k_block, columns) << m;
    EXPECT_GE(double(plan.group * (plan.panels.parts - 1)), 0.85 * double(plan.k_block)) << m;
  }
  for (const std::size_t m : {36, 201}) {
    const auto plan = kernels<double>(*GetParam().variant).plan_gemm(shape(m, 2000, 2000));
    EXPECT_FALSE(plan.asks_row_by_row) << m;
  }
}
TEST_P(SerialGemm, WhereLessIsTurnedRoundOrFewerColumnsAreEmptyTheTransposedProductIsTaken) {
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  const auto is_turned = [&](std::size_t m, std::size_t n, std::size_t k) {
    return kernels<float>(*GetParam().variant).plan_gemm(shape(m, n, k)).turned != nullptr;
  };
  const bool a = GetParam().transpose_a, b = GetParam().transpose_b;
  if (!a) {
    const bool few_rows = b && !cpu::computes_halves();
    EXPECT_EQ(is_turned(32, 1000, 1000), few_rows);
    EXPECT_EQ(is_turned(8, 1024, 600), few_rows);
    EXPECT_EQ(is_turned(16, 1000, 600), few_rows);
    EXPECT_FALSE(is_turned(16, 1024, 600));  // rows of c collide
    EXPECT_EQ(is_turned(24, 1024, 3200), few_rows);
    EXPECT_FALSE(is_turned(24, 1024, 3000));
    EXPECT_EQ(is_turned(400, 1000, 1000), few_rows);
    EXPECT_FALSE(is_turned(401, 1000, 1000));
    return;
  }
  EXPECT_TRUE(is_turned(256, 24, 100));
  EXPECT_FALSE(is_turned(256, 24, 31));
  EXPECT_FALSE(is_turned(256, 16 * 7, 100));
  EXPECT_EQ(is_turned(1024, 100, 1024), b || cpu::is_intel());  // flipped where b lies along n
  if (!b) {
    EXPECT_EQ(is_turned(1000, 48, 1000), cpu::is_intel());
  } else {
    EXPECT_EQ(is_turned(1000, 300, 1000), cpu::is_intel());
    EXPECT_FALSE(is_turned(1000, 500, 1000));
  }
  EXPECT_TRUE(is_turned(256, 90, 256));
}
TEST_P(SerialGemm, EightsOfRowsHaveTilesOfEightRowsBesideAFewColumns) {
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  if (cpu::computes_halves()) GTEST_SKIP() << "it does not make up for more tiles";
  if (GetParam().transpose_b) GTEST_SKIP() << "then b is packed";
  const auto plan = kernels<float>(*GetParam().variant).plan_gemm;
  EXPECT_EQ(plan(shape(16, 112, 100)).tiles[0], 3u);
  EXPECT_EQ(plan(shape(16, 112, 100)).panels[0], 8u);
  EXPECT_EQ(plan(shape(24, 112, 100)).tiles[0], 4u);
  EXPECT_EQ(plan(shape(16, 112, 70)).tiles[0], 4u);
}
#endif

TEST_P(SerialGemm, WhatIsPackedOfBFillsItsCacheHoweverShortKIs) {
  const auto packed = [this](std::size_t k) {
    const auto plan = kernels<float>(*GetParam().variant).plan_gemm(shape(4096, 4096, k));
    return plan.copies_a ? plan.a_offset : plan.workspace_elements;
  };
  EXPECT_GT(packed(64), packed(1024) / 2);
}

TEST_P(SerialGemm, ATransposedAIsCopiedIfItIsLargeOrItsStepsCollide) {
  const auto plan = kernels<float>(*GetParam().variant).plan_gemm;
  const bool transposed = GetParam().transpose_a;
#if defined(__x86_64__)
  const std::string_view name = GetParam().variant->name;
  const bool intel = cpu::is_intel() && (name.starts_with("avx512") || name.starts_with("amx"));
#else
  const bool intel = false;
#endif
  EXPECT_EQ(plan(shape(1024, 500, 660)).copies_a, transposed);
  EXPECT_EQ(plan(shape(1280, 600, 660)).copies_a, transposed);
  EXPECT_EQ(plan(shape(1501, 1000, 1103)).copies_a, transposed);
  EXPECT_EQ(plan(shape(1000, 500, 1000)).copies_a, transposed && intel);
  EXPECT_EQ(plan(shape(1024, 500, 500)).copies_a, transposed && intel);
  EXPECT_EQ(plan(shape(600, 2000, 1000)).copies_a, transposed && intel);
  EXPECT_FALSE(plan(shape(512, 500, 500)).copies_a);
  EXPECT_FALSE(plan(shape(1024, 60, 1100)).copies_a);
  // What is read where it lies comes in blocks that the second cache holds.
  if (transposed && intel) {
    EXPECT_EQ(plan(shape(512, 512, 512)).k_block, 256u);
    EXPECT_EQ(plan(shape(600, 500, 1000)).k_block, 200u);
    EXPECT_FALSE(plan(shape(1000, 190, 1000)).copies_a);  // beside a small c
    EXPECT_EQ(plan(shape(512, 512, 300)).k_block, 300u);  // all of it fits
  }
}

TEST_P(SerialGemm, WithoutStepsOnlyScalesC) {
  std::vector<float> c = {1, 2, 3, 4, 5, 6}, none;
  run(kernels<float>(*GetParam().variant), shape(2, 3, 0), 1.0f, none, none, 2.0f, c);
  EXPECT_EQ(c, (std::vector<float>{2, 4, 6, 8, 10, 12}));
  c.assign(6, std::nanf(""));
  run(kernels<float>(*GetParam().variant), shape(2, 3, 0), 1.0f, none, none, 0.0f, c);
  EXPECT_EQ(c, std::vector<float>(6, 0));
}

TEST_P(SerialGemm, OfNothingTouchesNothing) {
  std::vector<double> values(12, 1), none;
  run(kernels<double>(*GetParam().variant), shape(0, 3, 4), 1.0, none, values, 0.0, none);
  run(kernels<double>(*GetParam().variant), shape(3, 0, 4), 1.0, values, none, 0.0, none);
}

// A NaN or an infinity reaches its row or column and nothing else.
TEST_P(SerialGemm, NanAndInfinityGoWhereIeeeSendsThem) {
  for (const std::size_t n : {3u, 17u, 31u, 36u, 100u}) {
    const GemmShape s = shape(n, n, n);
    const std::vector<float> ones(n * n, 1);
    for (std::size_t at = 0; at < n; ++at) {
      std::vector<float> a = ones, b = ones, c(n * n);
      a[s.transpose_a ? (n / 2) * n + at : at * n + n / 2] = std::nanf("");
      b[s.transpose_b ? at * n + n / 2 : (n / 2) * n + at] = INFINITY;
      run(kernels<float>(*GetParam().variant), s, 1.0f, a, b, 0.0f, c);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          if (i == at)
            ASSERT_TRUE(std::isnan(c[i * n + j])) << describe(s) << " at " << i << "," << j;
          else
            ASSERT_EQ(c[i * n + j], j == at ? INFINITY : float(n)) << describe(s);
        }
    }
  }
}

// The last vector of a row begins before what is left of it.
TEST_P(SerialGemm, AnInfinityAtTheEndOfALongRowIsCountedOnce) {
  const std::size_t m = 401, k = 1054;  // from the third cache
  const GemmShape s = shape(m, 1, k);
  std::vector<float> a(m * k, 1), b(k, 1), c(m);
  for (std::size_t at = k - 20; at < k; ++at) {
    b[at] = INFINITY;
    run(kernels<float>(*GetParam().variant), s, 1.0f, a, b, 0.0f, c);
    EXPECT_EQ(c, std::vector<float>(m, INFINITY)) << describe(s) << " at " << at;
    b[at] = 1;
  }
  for (std::size_t i = 1; i < m; i += 2) {
    const std::size_t at = k - 1 - i % 40;
    a[s.transpose_a ? at * m + i : i * k + at] = INFINITY;
  }
  run(kernels<float>(*GetParam().variant), s, 1.0f, a, b, 0.0f, c);
  for (std::size_t i = 0; i < m; ++i)
    EXPECT_EQ(c[i], i % 2 == 1 ? INFINITY : float(k)) << describe(s) << " at " << i;
}

TEST(BestVariant, of_none_that_fits_the_processor_says_so) {
  Variant wider = *variants().front(), usable = *variants().back();
  wider.usable = [] { return false; };
  usable.usable = [] { return true; };
  const Variant* const all[] = {&wider, &usable};
  EXPECT_EQ(&best_variant(all), &usable);
  EXPECT_THROW(best_variant(std::span(all).first(1)), std::runtime_error);
}

std::vector<Form> forms() {
  std::vector<Form> all;
  for (const Variant* variant : variants())
    for (const bool a : {false, true})
      for (const bool b : {false, true}) all.push_back({variant, a, b});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Forms, SerialGemm, testing::ValuesIn(forms()), [](const auto& form) {
  return std::string(form.param.variant->name) + (form.param.transpose_a ? "_t" : "_n") +
         (form.param.transpose_b ? "t" : "n");
});

}  // namespace
}  // namespace breakeven::serial
