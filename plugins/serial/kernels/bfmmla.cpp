// SPDX-License-Identifier: Apache-2.0
// Compiled for Arm processors that multiply 2×4 by 4×2 numbers of bf16 with one instruction
// (BFMMLA). It adds the products of pairs before it rounds, and takes subnormal numbers as zero.
// Not tuned: it has run on emulators only.
#include <arm_neon.h>

#include <algorithm>

#include "plugins/serial/kernels/bf16_product.hpp"

namespace breakeven::serial {

namespace {

// A strip is 8 rows of a or columns of b, four steps of k after the other, two lines of four
// numbers a vector; what lies outside of the matrix is zero.
constexpr std::size_t strip = 8, step = 4, vectors = strip / 2;

std::size_t cut(std::size_t count, std::size_t by) {
  return (count + by - 1) / by;
}
std::size_t packed_elements(std::size_t lines, std::size_t k) {
  return cut(lines, strip) * cut(k, step) * strip * step;
}

// Element p of line i is at from[i line_stride + p k_stride].
void pack(std::size_t lines, std::size_t k, const Bf16* from, std::size_t line_stride,
          std::size_t k_stride, Bf16* to) {
  for (std::size_t first = 0; first < lines; first += strip)
    for (std::size_t p = 0; p < k; p += step)
      for (std::size_t i = first; i < first + strip; ++i)
        for (std::size_t q = p; q < p + step; ++q)
          *to++ = i < lines && q < k ? from[i * line_stride + q * k_stride] : Bf16{0};
}

// The first `rows` × `columns` of a tile of 8 × 8.
void run_tile(std::size_t steps, const Bf16* a, const Bf16* b, float alpha, float beta, Bf16* c,
              std::size_t stride_c, std::size_t rows, std::size_t columns) {
  const auto load = [](const Bf16* from) {
    return vld1q_bf16(reinterpret_cast<const bfloat16_t*>(from));
  };
  float32x4_t sums[vectors][vectors] = {};
  for (std::size_t s = 0; s < steps; ++s, a += strip * step, b += strip * step) {
    bfloat16x8_t right[vectors];
#pragma GCC unroll 4
    for (std::size_t j = 0; j < vectors; ++j) right[j] = load(b + j * 2 * step);
#pragma GCC unroll 4
    for (std::size_t i = 0; i < vectors; ++i) {
      const bfloat16x8_t left = load(a + i * 2 * step);
#pragma GCC unroll 4
      for (std::size_t j = 0; j < vectors; ++j)
        sums[i][j] = vbfmmlaq_f32(sums[i][j], left, right[j]);
    }
  }
  for (std::size_t i = 0; i < rows; ++i) {
    float values[strip], old[strip] = {};
    for (std::size_t j = 0; j < strip; ++j)
      values[j] = alpha * sums[i / 2][j / 2][i % 2 * 2 + j % 2];
    if (beta != 0)
      for (std::size_t j = 0; j < columns; ++j) {
        const auto bits = std::uint32_t(c[i * stride_c + j].bits) << 16;
        __builtin_memcpy(&old[j], &bits, sizeof bits);
        values[j] += beta * old[j];
      }
    const bfloat16x8_t rounded =
        vcvtq_high_bf16_f32(vcvtq_low_bf16_f32(vld1q_f32(values)), vld1q_f32(values + 4));
    __builtin_memcpy(c + i * stride_c, &rounded, columns * sizeof(Bf16));
  }
}

// Of one row or column, and of up to eight of a b that lies along a long k, little is computed for
// what is read.
bool pays_off(const GemmShape& shape) {
  return shape.m > 1 && shape.n > 1 &&
         !(shape.m <= 8 && shape.transpose_b && !shape.transpose_a && shape.k >= 128);
}

std::size_t workspace_bytes(const GemmShape& shape) {
  return (packed_elements(shape.m, shape.k) + packed_elements(shape.n, shape.k)) * sizeof(Bf16);
}

void run(const GemmShape& shape, float alpha, const Bf16* a, const Bf16* b, float beta, Bf16* c,
         void* workspace) {
  const auto& [transpose_a, transpose_b, m, n, k] = shape;
  Bf16* const packed_a = static_cast<Bf16*>(workspace);
  Bf16* const packed_b = packed_a + packed_elements(m, k);
  pack(m, k, a, transpose_a ? 1 : k, transpose_a ? m : 1, packed_a);
  pack(n, k, b, transpose_b ? k : 1, transpose_b ? 1 : n, packed_b);
  const std::size_t steps = cut(k, step), strip_elements = steps * strip * step;
  for (std::size_t j = 0; j < n; j += strip)
    for (std::size_t i = 0; i < m; i += strip)
      run_tile(steps, packed_a + i / strip * strip_elements, packed_b + j / strip * strip_elements,
               alpha, beta, c + i * n + j, n, std::min(strip, m - i), std::min(strip, n - j));
}

}  // namespace

const Bf16Product bfmmla = {&pays_off, &workspace_bytes, &run};

}  // namespace breakeven::serial
