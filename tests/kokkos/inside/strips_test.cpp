// SPDX-License-Identifier: Apache-2.0
// How kokkos-openmp deals a product out to threads, and the strips that it copies b in.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "openmp/gemm.hpp"

namespace breakeven::kokkos {
namespace {

template <class T>
void expect_strips_cover_columns() {
  using Traits = HostTraits<T>;
  for (std::size_t columns = 0; columns <= 700; ++columns) {
    const Strips<T> strips(columns);
    std::size_t used = 0;
    for (std::size_t i = 0; i < strips.count; ++i) {
      ASSERT_EQ(strips[i], used) << columns;
      ASSERT_EQ(strips[i + 1], strips[i] + strips.width(i)) << columns;
      ASSERT_LE(strips.width(i), Traits::vectors * Traits::lanes) << columns;
      ASSERT_LT(strips.width(0) - strips.width(i), 2 * Traits::lanes) << columns;
      ASSERT_LT(strips.width(i) - strips.used(i), Traits::lanes) << columns;
      used += strips.used(i);
    }
    ASSERT_EQ(used, columns);
  }
}

TEST(Strips, CoverAllColumnsEvenly) {
  expect_strips_cover_columns<float>();
  expect_strips_cover_columns<double>();
}

// As run_part cuts them, also where it asks for what is copied next.
template <class T>
void expect_panels_fit() {
  for (std::size_t columns = 1; columns <= 1400; ++columns)
    for (const std::size_t steps : {1u, 33u, 700u, 5000u}) {
      const Panel<OneStep<T>> most(steps);
      for (const std::size_t at_once : {most.columns, HostTraits<T>::panel_columns / 2}) {
        const Strips<T> strips(columns);
        const std::size_t panels = (columns + at_once - 1) / at_once;
        for (std::size_t i = 0; i < panels; ++i)
          ASSERT_LE(
              (strips[cut(strips.count, panels, i + 1)] - strips[cut(strips.count, panels, i)]) *
                  most.depth,
              most.elements())
              << columns << " columns, " << steps << " steps";
      }
    }
}

TEST(Strips, OfOnePanelFitWhatIsAllocatedForIt) {
  expect_panels_fit<float>();
  expect_panels_fit<double>();
}

// Of c, each element once, whatever is asked to be cut.
template <class T>
void expect_parts_cover_c(const Deal& deal, std::size_t m, std::size_t n) {
  Product<T> product{};
  product.m = m, product.n = n, product.k = 64, product.batch = 2;
  std::vector<int> made(product.batch * m * n);
  for (std::size_t i = 0; i < product.batch * deal.parts(); ++i) {
    const Part part = deal.part<OneStep<T>>(product, i);
    ASSERT_LE(part.rows, m);
    ASSERT_LE(part.columns, n);
    for (std::size_t row = part.row; row < part.row + part.rows; ++row)
      for (std::size_t column = part.column; column < part.column + part.columns; ++column)
        ++made.at((part.matrix * m + row) * n + column);
  }
  EXPECT_EQ(std::count(made.begin(), made.end(), 1), std::ptrdiff_t(made.size()))
      << m << " rows and " << n << " columns, " << deal.row_cuts << "×" << deal.column_cuts
      << " parts of " << deal.row_pieces << "×" << deal.column_pieces;
}

TEST(Deals, InPiecesMakeEveryElementOnce) {
  for (const std::size_t m : {1u, 33u, 500u})
    for (const std::size_t n : {1u, 50u, 333u, 640u})
      for (const Deal& deal :
           {Deal{4, 2, 2, 2, 2}, Deal{2, 1, 2, 1, 4}, Deal{3, 3, 1, 4, 1}, Deal{2, 1, 1, 1, 4}}) {
        expect_parts_cover_c<float>(deal, m, n);
        expect_parts_cover_c<double>(deal, m, n);
      }
}

// No smaller than is worth to be handed over, or than copies of b are worth.
TEST(Deals, HavePiecesOfLargeProducts) {
  const auto pieces_of = [](std::size_t m, std::size_t n, std::size_t k, const Deal& deal,
                            bool cuts_columns) {
    Product<double> product{};
    product.m = m, product.n = n, product.k = k, product.batch = 1;
    const Deal finer = deal.in_pieces<OneStep<double>>(product, k, cuts_columns);
    EXPECT_EQ(finer.row_cuts, deal.row_cuts);
    EXPECT_EQ(finer.column_cuts, deal.column_cuts);
    return std::pair(finer.row_pieces, finer.column_pieces);
  };
  EXPECT_EQ(pieces_of(2000, 2000, 2000, {2, 1, 2}, true), std::pair(1ul, 4ul));
  EXPECT_EQ(pieces_of(2000, 2000, 2000, {2, 1, 2}, false), std::pair(4ul, 1ul));
  EXPECT_EQ(pieces_of(2000, 2000, 2000, {16, 1, 16}, true), std::pair(4ul, 1ul));
  EXPECT_EQ(pieces_of(900, 200, 2000, {2, 1, 2}, true), std::pair(2ul, 1ul));
  EXPECT_EQ(pieces_of(100, 100, 100, {2, 2, 1}, true), std::pair(1ul, 1ul));
  EXPECT_EQ(pieces_of(2000, 2000, 2000, {1, 1, 1}, true), std::pair(1ul, 1ul));
}

// A thread that waits in its first part until all others are made, its own among them.
TEST(Shares, AreFinishedByThreadsThatAreDone) {
  constexpr std::size_t parts = 64, threads = 2;
  ASSERT_GE(Space().concurrency(), int(threads)) << "set OMP_NUM_THREADS";
  const Shares shares(parts, threads);
  for (int again = 0; again < 2; ++again) {
    std::array<std::atomic<int>, parts> made{};
    std::atomic<std::size_t> count = 0;
    shares.make(Space(), [&](std::size_t, std::size_t part) {
      ++made[part], ++count;
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (part == 0 && count < parts - 2 && std::chrono::steady_clock::now() < until)
        std::this_thread::yield();
      if (part == 0) {
        EXPECT_GE(count, parts - 2);  // two are taken at once
      }
    });
    for (const auto& times : made) EXPECT_EQ(times, 1);
  }
}

std::size_t slices_of(std::size_t m, std::size_t n, std::size_t k, const Deal& deal,
                      const cpu::Family& family) {
  Product<float> product{};
  product.m = m, product.n = n, product.k = k, product.batch = 1;
  product.a_row = k, product.a_column = product.b_column = 1, product.b_row = n;
  product.way.rules = family;
  EXPECT_TRUE(reads_b_in_place(product, deal, most_rows_in_place(product))) << m;
  return slices_in_place(product, FewRows(product, deal));
}

// As of many rows beside columns that one tile takes: more slices would read and write c again.
TEST(Slices, OfABThatAnIntelReadsInPlaceAreFew) {
  if (vector_bytes != 64) GTEST_SKIP() << "an Intel's rules are for vectors of 64 bytes";
  const cpu::Family intel = {.intel = true};
  EXPECT_EQ(slices_of(4096, 64, 4096, {2, 2, 1}, intel), 3u);
  EXPECT_EQ(slices_of(1000, 16, 1000, {2, 2, 1}, intel), 1u);
  EXPECT_EQ(slices_of(8, 1000, 1000, {2, 1, 2}, intel), 1u);
  EXPECT_EQ(slices_of(40, 2000, 2000, {2, 1, 2}, intel), 2u);
  EXPECT_EQ(slices_of(16, 1024, 1024, {2, 1, 2}, intel), 16u);  // rows of whole pages
}

TEST(Slices, OfABThatMemoryBringsAreUpTo128KBOfEachThread) {
  if (!is_avx2) GTEST_SKIP() << "the rule is for AVX2";
  EXPECT_EQ(slices_of(8, 2000, 2000, {2, 1, 2}, {}), 63u);   // 32 rows of 4000 bytes
  EXPECT_EQ(slices_of(8, 2000, 2000, {4, 1, 4}, {}), 31u);   // 65 of 2000
  EXPECT_EQ(slices_of(8, 20000, 1000, {2, 1, 2}, {}), 63u);  // no fewer than 16
}

}  // namespace
}  // namespace breakeven::kokkos
