// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "forms.hpp"
#include "guarded_memory.hpp"

namespace breakeven::serial {
namespace {

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
         const std::vector<T>& b, T beta, std::vector<T>& c, const Way& way = {}) {
  const GemmPlan<T> plan = kernels.plan_gemm(shape, way);
  // Exactly as large as asked for, so that the sanitizer sees the end.
  struct Free {
    void operator()(T* data) const { ::operator delete[](data, std::align_val_t(64)); }
  };
  const std::unique_ptr<T, Free> workspace(
      static_cast<T*>(::operator new[](plan.workspace_elements * sizeof(T), std::align_val_t(64))));
  plan.run(plan, 1, alpha, a.data(), b.data(), beta, c.data(), workspace.get());
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

class SerialGemm : public FormTest {
 protected:
  // As the rules say, or in another way for every shape.
  template <class T>
  void expect_exact_edges(bool otherwise) const {
    // Prime to the edge, so that all values of m, n and k meet.
    const std::size_t every = (is_slow() ? 11 : 1) * (otherwise ? 7 : 1);
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
      const Way way = otherwise ? way_number(index * 5 / 11 % ways) : Way();
      const GemmPlan<T> plan = kernels<T>(*GetParam().variant).plan_gemm(s, way);
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
  void expect_exact(const GemmShape& s, T beta, const Way& way = {}) const {
    const auto a = stored<T>(s.m, s.k, s.transpose_a, 0);
    const auto b = stored<T>(s.k, s.n, s.transpose_b, 3);
    std::vector<T> c = stored<T>(s.m, s.n, false, 7);
    if (beta == 0) c.assign(c.size(), std::numeric_limits<T>::quiet_NaN());
    run(kernels<T>(*GetParam().variant), s, T(2), a, b, beta, c, way);
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
  expect_exact_edges<float>(false);
  expect_exact_edges<float>(true);
}
TEST_P(SerialGemm, IsExactOnIntegersForEveryEdgeInF64) {
  expect_exact_edges<double>(false);
  expect_exact_edges<double>(true);
}

TEST_P(SerialGemm, IsExactInOtherWays) {
  // Each form begins elsewhere.
  std::size_t next = 48 * (2 * GetParam().transpose_a + GetParam().transpose_b);
  for (const auto& [m, n, k] : {std::array<std::size_t, 3>{70, 70, 70},
                                {9, 1003, 600},
                                {200, 96, 5},
                                {13, 513, 301},
                                {600, 9, 300},
                                {150, 20, 1000},
                                {12, 2000, 3},
                                {64, 128, 1024}})
    for (std::size_t i = 0; i < (is_slow() ? 4 : 12); ++i, next += 5) {  // prime to the ways
      expect_exact<float>(shape(m, n, k), float(i % 2), way_number(next % ways));
      expect_exact<double>(shape(m, n, k), double(i % 2), way_number((next + 2) % ways));
    }
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
                                {1024, 256, 660},   // steps of a transposed a are whole pages
                                {131, 37, 100},     // a third of the last vector is empty
                                {1921, 250, 1103},  // strips of rows, and last columns
                                {1024, 1007, 24},   // a large c, and few steps
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
                                {1, 110, 300},  // one tile of 14 vectors of 32 bytes in f32
                                {1, 53, 300},   // and in f64
                                {1, 81, 1100},
                                {2, 47, 300},
                                {2, 1001, 400},  // rows of b are asked for some steps before
                                {8, 1001, 830},
                                {16, 1001, 600},
                                {17, 1001, 600},
                                {1, 250, 300},  // as wide as one tile of a Zen 5
                                {1, 440, 300},
                                {1, 4099, 2051},
                                {1, 2048, 301},  // in parts
                                {1, 4099, 301},
                                {1, 1, 3000},
                                {7, 1500, 700},
                                {2, 2, 301},  // along k, if they lie so
                                {2, 3, 1000},
                                {3, 2, 70},
                                {3, 3, 333},
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
    if (m == 1) expect_exact<float>(shape(m, n, k), 1, {.rules = {.zen4 = true}});
  }
}

// A vector of b holds several of them, of which some are read twice at the end.
TEST_P(SerialGemm, IsExactForFewRowsAndColumns) {
  for (std::size_t n = 1; n <= 17; ++n)
    for (const std::size_t k : {16, 21, 64, 71, 300})
      for (const bool by_rows : {false, true}) {
        const Way way{.by_rows = by_rows};
        expect_exact<float>(shape(1, n, k), 0, way);
        expect_exact<float>(shape(n, 1, k), -1, way);
        expect_exact<double>(shape(3, n, k), -1, way);
        expect_exact<double>(shape(n, 2, k), 0, way);
      }
  const Way way{.by_rows = true};
  expect_exact<float>(shape(5, 7, 3001), -1, way);  // in parts of b
  expect_exact<double>(shape(8, 8, 999), -1, way);
}

// Those at the end that are read twice are left out the second time, of a as of b.
TEST_P(SerialGemm, AnInfiniteElementStaysInfiniteAndInItsPlace) {
  const std::size_t n = 5, k = 65;
  const double infinite = std::numeric_limits<double>::infinity();
  for (const std::size_t m : {1, 3})
    for (std::size_t step = 48; step < k; ++step)
      for (const bool in_a : {false, true}) {
        const GemmShape s = shape(m, n, k);
        std::vector<double> a(m * k, 1), b(k * n, 1), c(m * n), workspace(m * n * k + 1024);
        if (in_a)
          a[s.transpose_a ? step * m : step] = infinite;
        else
          b[s.transpose_b ? k + step : step * n + 1] = infinite;
        const auto plan = planner<double>()(s);
        plan.run(plan, 1, 1, a.data(), b.data(), 0, c.data(), workspace.data());
        for (std::size_t i = 0; i < m; ++i)
          for (std::size_t j = 0; j < n; ++j)
            ASSERT_EQ(c[i * n + j], (in_a ? i == 0 : j == 1) ? infinite : 65)
                << m << " rows, step " << step << (in_a ? " of a" : " of b");
      }
}

// Rows of a b beyond the first caches; the last columns are computed twice.
TEST_P(SerialGemm, OneRowOfEveryMatrixOfABatchIsItsOwn) {
  const std::size_t n = 1003, k = 301;
  const GemmShape s = shape(1, n, k);
  std::vector<float> a(2 * k, 1), b(2 * k * n, 1), c(2 * n, 3), workspace(1 << 20);
  std::fill_n(a.begin() + k, k, -2.0f);
  b[s.transpose_b ? (n - 1) * k + k / 2 : k / 2 * n + n - 1] = std::nanf("");
  const auto plan = planner<float>()(s);
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
  std::vector<double> a, b, c;
  for (int i = 1; i <= 2; ++i) {
    for (const double value : stored<double>(m, k, s.transpose_a, 0)) a.push_back(i * value);
    for (const double value : stored<double>(k, n, s.transpose_b, 3)) b.push_back(i * value);
  }
  const GuardedMemory workspace(1 << 16);
  for (std::size_t number = 0; number < ways; ++number) {
    const auto plan = kernels<double>(*GetParam().variant).plan_gemm(s, way_number(number));
    const std::size_t aligned = (plan.workspace_elements + 7) / 8 * 8;
    c.assign(2 * m * n, 1);
    plan.run(plan, 2, 1.0, a.data(), b.data(), 2.0, c.data(), workspace.last<double>(aligned));
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        int sum = 0;
        for (std::size_t p = 0; p < k; ++p) sum += integer(i, p) * integer(p + 3, j);
        ASSERT_EQ(c[i * n + j], sum + 2) << number << " at " << i << "," << j;
        ASSERT_EQ(c[(m + i) * n + j], 4 * sum + 2) << number << " at " << i << "," << j;
      }
  }
}

TEST_P(SerialGemm, WithoutStepsOnlyScalesC) {
  for (std::size_t number = 0; number < ways; ++number) {
    const Way way = way_number(number);
    std::vector<float> c = {1, 2, 3, 4, 5, 6}, none;
    run(kernels<float>(*GetParam().variant), shape(2, 3, 0), 1.0f, none, none, 2.0f, c, way);
    EXPECT_EQ(c, (std::vector<float>{2, 4, 6, 8, 10, 12})) << number;
    c.assign(6, std::nanf(""));
    run(kernels<float>(*GetParam().variant), shape(2, 3, 0), 1.0f, none, none, 0.0f, c, way);
    EXPECT_EQ(c, std::vector<float>(6, 0)) << number;
  }
}

TEST_P(SerialGemm, OfNothingTouchesNothing) {
  std::vector<double> values(300, 1), none;
  for (const std::size_t k : {4, 100})
    for (const std::size_t side : {1, 3}) {
      run(kernels<double>(*GetParam().variant), shape(0, side, k), 1.0, none, values, 0.0, none);
      run(kernels<double>(*GetParam().variant), shape(side, 0, k), 1.0, values, none, 0.0, none);
    }
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

INSTANTIATE_TEST_SUITE_P(Forms, SerialGemm, testing::ValuesIn(forms()), name_of);

}  // namespace
}  // namespace breakeven::serial
