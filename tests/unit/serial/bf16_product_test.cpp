// SPDX-License-Identifier: Apache-2.0
#include "plugins/serial/kernels/bf16_product.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace breakeven::serial {
namespace {

Bf16 stored(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return {std::uint16_t(bits >> 16)};  // exact for what is used here
}
float read(Bf16 value) {
  const std::uint32_t bits = std::uint32_t(value.bits) << 16;
  float wide = 0;
  std::memcpy(&wide, &bits, sizeof wide);
  return wide;
}
int integer(std::size_t i, std::size_t j) {
  return int((i * 7 + j * 3) % 5) - 2;
}

class SerialBf16Product : public testing::TestWithParam<const Variant*> {
 protected:
  void SetUp() override {
    if (!GetParam()->usable() || !GetParam()->bf16_product)
      GTEST_SKIP() << "no instructions for products of bf16";
  }
};

TEST_P(SerialBf16Product, IsExactOnIntegersForEveryShapeAndTouchesNothingElse) {
  const Bf16Product& product = *GetParam()->bf16_product;
  for (std::size_t index = 0; index < 20 * 20 * 20; index += 3) {
    const std::size_t m = 1 + index % 20, n = 1 + index / 20 % 20, k = index / 400;
    const GemmShape shape{index % 2 == 1, index / 2 % 2 == 1, m, n, k};
    const float alpha = float(index % 3) - 1, beta = float(int(index % 4) - 1);
    std::vector<Bf16> a(m * k), b(k * n), c(m * n + 1, stored(beta == 0 ? NAN : 3));
    for (std::size_t p = 0; p < k; ++p) {
      for (std::size_t i = 0; i < m; ++i)
        a[shape.transpose_a ? p * m + i : i * k + p] = stored(float(integer(i, p)));
      for (std::size_t j = 0; j < n; ++j)
        b[shape.transpose_b ? j * k + p : p * n + j] = stored(float(integer(p + 3, j)));
    }
    c.back() = stored(7);
    std::vector<long double> workspace(product.workspace_bytes(shape) / sizeof(long double) + 1);
    product.run(shape, alpha, a.data(), b.data(), beta, c.data(), workspace.data());
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        int sum = 0;
        for (std::size_t p = 0; p < k; ++p) sum += integer(i, p) * integer(p + 3, j);
        ASSERT_EQ(read(c[i * n + j]), alpha * float(sum) + beta * 3)
            << m << "x" << n << "x" << k << " at " << i << "," << j;
      }
    ASSERT_EQ(read(c.back()), 7);
  }
}

TEST_P(SerialBf16Product, NanAndInfinityGoWhereIeeeSendsThem) {
  const GemmShape shape{false, false, 9, 9, 9};
  std::vector<Bf16> a(81, stored(1)), b = a, c = a;
  a[3 * 9 + 8] = stored(NAN);
  b[8 * 9 + 5] = stored(INFINITY);
  const Bf16Product& product = *GetParam()->bf16_product;
  std::vector<long double> workspace(product.workspace_bytes(shape) / sizeof(long double) + 1);
  product.run(shape, 1, a.data(), b.data(), 0, c.data(), workspace.data());
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t j = 0; j < 9; ++j) {
      const float value = read(c[i * 9 + j]);
      if (i == 3)
        EXPECT_TRUE(std::isnan(value));
      else
        EXPECT_EQ(value, j == 5 ? INFINITY : 9);
    }
}

INSTANTIATE_TEST_SUITE_P(Variants, SerialBf16Product,
                         testing::ValuesIn(variants().begin(), variants().end()),
                         [](const auto& variant) { return std::string(variant.param->name); });

}  // namespace
}  // namespace breakeven::serial
