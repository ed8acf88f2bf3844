// SPDX-License-Identifier: Apache-2.0
// The strips that kokkos-openmp copies b in.
#include <gtest/gtest.h>

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

// As of many rows beside columns that one tile takes: more slices would read and write c again.
TEST(Slices, OfABThatAnIntelReadsInPlaceAreFew) {
  if (!is_intel()) GTEST_SKIP() << "others take a few whole rows at a time";
  const auto slices_of = [](std::size_t m, std::size_t n, std::size_t k, const Deal& deal) {
    Product<float> product{};
    product.m = m, product.n = n, product.k = k, product.batch = 1;
    product.a_row = k, product.a_column = product.b_column = 1, product.b_row = n;
    EXPECT_TRUE(reads_b_in_place(product, deal, most_rows_in_place(product))) << m;
    return slices_in_place(product, deal);
  };
  EXPECT_EQ(slices_of(4096, 64, 4096, {2, 2, 1}), 3u);
  EXPECT_EQ(slices_of(1000, 16, 1000, {2, 2, 1}), 1u);
  EXPECT_EQ(slices_of(8, 1000, 1000, {2, 1, 2}), 1u);
  EXPECT_EQ(slices_of(40, 2000, 2000, {2, 1, 2}), 2u);
  EXPECT_EQ(slices_of(16, 1024, 1024, {2, 1, 2}), 16u);  // rows of whole pages
}

}  // namespace
}  // namespace breakeven::kokkos
