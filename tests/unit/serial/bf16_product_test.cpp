// SPDX-License-Identifier: Apache-2.0
#include "plugins/serial/kernels/bf16_product.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#if defined(__x86_64__)
#include "emulated_tiles.hpp"
#endif
#include "guarded_memory.hpp"

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
    if (!GetParam()->bf16_product) GTEST_SKIP() << "this variant has no product of bf16";
    if (!GetParam()->usable()) GTEST_SKIP() << "this processor has no instruction for it";
  }
};

// All operands end with the last byte that may be touched. Sums have no more than 63 terms up to 4:
// they are exact in bf16.
void expect_exact(const Bf16Product& product, const GemmShape& shape, float alpha, float beta) {
  const auto& [transpose_a, transpose_b, m, n, k] = shape;
  const std::size_t every = std::max<std::size_t>(1, (k + 62) / 63);
  const auto left = [&](std::size_t i, std::size_t p) {
    return p % every == i % every ? integer(i, p) : 0;
  };
  const auto right = [](std::size_t p, std::size_t j) { return integer(p + 3, j); };
  const std::size_t bytes = product.workspace_bytes(shape), aligned = (bytes + 15) / 16 * 16;
  const GuardedMemory memory_a(2 * m * k), memory_b(2 * k * n), memory_c(2 * m * n),
      memory_workspace(aligned);
  Bf16* const a = memory_a.last<Bf16>(m * k);
  Bf16* const b = memory_b.last<Bf16>(k * n);
  Bf16* const c = memory_c.last<Bf16>(m * n);
  for (std::size_t p = 0; p < k; ++p) {
    for (std::size_t i = 0; i < m; ++i)
      a[transpose_a ? p * m + i : i * k + p] = stored(float(left(i, p)));
    for (std::size_t j = 0; j < n; ++j)
      b[transpose_b ? j * k + p : p * n + j] = stored(float(right(p, j)));
  }
  std::fill_n(c, m * n, stored(beta == 0 ? NAN : 3));
  product.run(shape, alpha, a, b, beta, c, memory_workspace.last<std::byte>(aligned));
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      int sum = 0;
      for (std::size_t p = i % every; p < k; p += every) sum += left(i, p) * right(p, j);
      ASSERT_EQ(read(c[i * n + j]), alpha * float(sum) + beta * 3)
          << m << "x" << n << "x" << k << (transpose_a ? " a^T" : "") << (transpose_b ? " b^T" : "")
          << " at " << i << "," << j;
    }
}

TEST_P(SerialBf16Product, IsExactOnIntegersForEveryShapeAndTouchesNothingElse) {
  for (std::size_t index = 0; index < 20 * 20 * 20; index += 3) {
    const std::size_t m = 1 + index % 20, n = 1 + index / 20 % 20, k = index / 400;
    expect_exact(*GetParam()->bf16_product, {index % 2 == 1, index / 2 % 2 == 1, m, n, k},
                 float(index % 3) - 1, float(int(index % 4) - 1));
    if (HasFatalFailure()) return;
  }
}

// Several panels of rows, and of b several parts that are in the cache one after the other.
TEST_P(SerialBf16Product, IsExactWhereItIsCutIntoParts) {
  for (const bool transpose_a : {false, true})
    for (const bool transpose_b : {false, true})
      for (const auto& [m, n, k] : {std::array<std::size_t, 3>{37, 70, 65},
                                    {50, 49, 200},
                                    {1, 300, 129},
                                    {300, 1, 64},
                                    {1, 70, 12501},  // from the third cache where b is transposed
                                    {19, 161, 1501},
                                    {4, 2, 32},  // few columns
                                    {37, 3, 65},
                                    {33, 4, 301},
                                    {70, 5, 256},
                                    {50, 8, 301},
                                    {32, 100, 96},
                                    {35, 420, 1501}}) {
        for (const float beta : {0.0f, -1.0f})
          expect_exact(*GetParam()->bf16_product, {transpose_a, transpose_b, m, n, k}, 1, beta);
        if (HasFatalFailure()) return;
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

#if defined(__x86_64__)
const Variant emulated_amx = {"emulated_amx",
                              [] {
                                return __builtin_cpu_supports("avx512bw") &&
                                       __builtin_cpu_supports("avx512vl") &&
                                       __builtin_cpu_supports("avx512dq") &&
                                       __builtin_cpu_supports("avx512bf16");
                              },
                              {},
                              {},
                              {},
                              {},
                              &product_of_emulated_tiles};
INSTANTIATE_TEST_SUITE_P(Emulated, SerialBf16Product, testing::Values(&emulated_amx),
                         [](const auto& variant) { return std::string(variant.param->name); });
#endif

INSTANTIATE_TEST_SUITE_P(Variants, SerialBf16Product,
                         testing::ValuesIn(variants().begin(), variants().end()),
                         [](const auto& variant) { return std::string(variant.param->name); });

}  // namespace
}  // namespace breakeven::serial
