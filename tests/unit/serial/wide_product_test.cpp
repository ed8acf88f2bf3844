// SPDX-License-Identifier: Apache-2.0
// Products of 16-bit types in f32, of every variant.
#include "plugins/serial/wide_product.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "guarded_memory.hpp"
#include "plugins/serial/kernels/variants.hpp"

namespace breakeven::serial {
namespace {

int integer(std::size_t i, std::size_t j) {
  return int((i * 7 + j * 13 + i * j) % 5) - 2;
}

template <class T>
const Kernels<T>& kernels(const Variant& variant) {
  if constexpr (std::is_same_v<T, F16>)
    return variant.f16;
  else
    return variant.bf16;
}

// Sums of f32 are exact; they are rounded to what is expected. All operands end with the last byte
// that may be touched.
template <class T>
void expect_rounded_once(const Variant& variant, const GemmShape& shape, float beta) {
  const auto& [transpose_a, transpose_b, m, n, k] = shape;
  const Kernels<T>& of = kernels<T>(variant);
  const auto stored = [&](float value) {
    T bits;
    of.narrow(1, &value, &bits);
    return bits;
  };
  const auto read = [&](T bits) {
    float value = 0;
    of.widen(1, &bits, &value);
    return value;
  };
  const GuardedMemory memory_a(2 * m * k), memory_b(2 * k * n), memory_c(2 * m * n);
  T* const a = memory_a.last<T>(m * k);
  T* const b = memory_b.last<T>(k * n);
  T* const c = memory_c.last<T>(m * n);
  for (std::size_t p = 0; p < k; ++p) {
    for (std::size_t i = 0; i < m; ++i)
      a[transpose_a ? p * m + i : i * k + p] = stored(float(integer(i, p)));
    for (std::size_t j = 0; j < n; ++j)
      b[transpose_b ? j * k + p : p * n + j] = stored(float(integer(p + 3, j)));
  }
  const WideProduct<T> product(shape, of, variant.f32, {.way = Way()});
  for (int run = 0; run < 2; ++run) {
    std::fill_n(c, m * n, stored(beta == 0 ? NAN : 3));
    product.run(2, a, b, beta, c);
    // Rows are sampled.
    for (std::size_t i = 0; i < m; i += 1 + m / 23)
      for (std::size_t j = 0; j < n; j += 1 + n / 61) {
        float sum = 0;
        for (std::size_t p = 0; p < k; ++p) sum += float(integer(i, p) * integer(p + 3, j));
        ASSERT_EQ(read(c[i * n + j]), read(stored(2 * sum + 3 * beta)))
            << m << "x" << n << "x" << k << (transpose_a ? " a^T" : "")
            << (transpose_b ? " b^T" : "") << " at " << i << "," << j;
      }
  }
}

class SerialWideProduct : public testing::TestWithParam<const Variant*> {
 protected:
  void SetUp() override {
    if (!GetParam()->usable()) GTEST_SKIP() << "not on this processor";
  }

  void expect_rounded_once(std::size_t m, std::size_t n, std::size_t k) const {
    for (const bool transpose_a : {false, true})
      for (const bool transpose_b : {false, true})
        for (const float beta : {0.0f, -1.0f}) {
          const GemmShape shape{transpose_a, transpose_b, m, n, k};
          serial::expect_rounded_once<F16>(*GetParam(), shape, beta);
          serial::expect_rounded_once<Bf16>(*GetParam(), shape, beta);
        }
  }
};

TEST_P(SerialWideProduct, VectorsOfEveryLengthAreRoundedOnce) {
  for (std::size_t length = 1; length < 70; length += length < 35 ? 1 : 7)
    for (const std::size_t k : {std::size_t(1), length, std::size_t(40)}) {
      expect_rounded_once(1, length, k);
      expect_rounded_once(length, 1, k);
    }
  expect_rounded_once(1, 1500, 701);
  expect_rounded_once(701, 1, 1500);
}

TEST_P(SerialWideProduct, WhatIsWidenedInPartsIsRoundedOnce) {
  expect_rounded_once(5, 300, 1001);  // steps of k at a time
  expect_rounded_once(3, 9001, 33);
  expect_rounded_once(3, 20000, 10);
  expect_rounded_once(17, 2, 50000);
  expect_rounded_once(9, 41, 100);     // columns that lie along k, or do not
  expect_rounded_once(2101, 30, 260);  // rows at a time
  expect_rounded_once(40, 50, 60);
}

TEST_P(SerialWideProduct, WithoutStepsOnlyScales) {
  expect_rounded_once(3, 5, 0);
  expect_rounded_once(1, 20, 0);
  expect_rounded_once(20, 1, 0);
}

INSTANTIATE_TEST_SUITE_P(Variants, SerialWideProduct,
                         testing::ValuesIn(variants().begin(), variants().end()),
                         [](const auto& variant) { return std::string(variant.param->name); });

}  // namespace
}  // namespace breakeven::serial
