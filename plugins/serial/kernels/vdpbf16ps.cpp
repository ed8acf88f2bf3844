// SPDX-License-Identifier: Apache-2.0
// Compiled for processors that multiply pairs of bf16 and add them to a sum in f32 with one
// instruction (VDPBF16PS). It rounds to nearest even and takes subnormal numbers as zero, whatever
// the processor is told to do elsewhere.
#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "plugins/cpu_common/dot_products.hpp"
#include "plugins/cpu_common/turn_block.hpp"
#include "plugins/cpu_common/x86_halves.hpp"
#include "plugins/serial/kernels/bf16_product.hpp"
#include "plugins/serial/kernels/parts.hpp"
#include "plugins/serial/kernels/targets.hpp"
#include "suite/machine/x86_bf16.hpp"

namespace breakeven::serial {

namespace {

constexpr std::size_t lanes = 16, most_vectors = 3;
constexpr std::size_t panel_bytes = std::size_t(640) << 10;  // of b, in the second cache
constexpr std::size_t far_elements = std::size_t(32) << 10;  // of b
constexpr std::size_t steps_ahead = 32;  // b is asked for so long before it is packed
constexpr __mmask16 all = 0xffff;        // without a mask GCC 12 warns of its own header

// A pair is two steps of k of one row of a or column of b; beyond an odd k there is a zero.
using Pair = std::uint32_t;

std::size_t pairs_of(std::size_t k) {
  return (k + 1) / 2;
}
bool a_is_copied(const GemmShape& shape) {
  return shape.transpose_a || shape.k % 2 != 0;
}
__mmask16 first_lanes(std::size_t count) {
  return count < lanes ? __mmask16((1U << count) - 1) : all;
}

// One product.
struct Product {
  std::size_t n, k;
  std::size_t row_a, step_a;  // elements between rows, and between pairs
  float alpha, beta;
  bool b_is_far;     // rows of it are asked for before they are packed
  const Bf16* soon;  // a panel of a that is brought nearer while a tile runs
};

// c = alpha a b + beta c for one tile, of whose last vector only some lanes are there. b is packed,
// a row of vectors for every pair, or lies as it was given and is left so in `packed`.
using RunBf16Tile = void (*)(const Product& product, const Bf16* a, const Bf16* b, Pair* packed,
                             Bf16* c, __mmask16 last);

// Pairs of two rows of b, or of a transposed.
[[gnu::always_inline]] inline __m512i pairs_from(const Bf16* row, __mmask16 lanes_of_it,
                                                 const Bf16* next, __mmask16 lanes_of_next) {
  const __m512i low = _mm512_maskz_cvtepu16_epi32(all, _mm256_maskz_loadu_epi16(lanes_of_it, row));
  const __m512i high =
      _mm512_maskz_cvtepu16_epi32(all, _mm256_maskz_loadu_epi16(lanes_of_next, next));
  return _mm512_or_epi32(low, _mm512_maskz_slli_epi32(all, high, 16));
}

[[gnu::always_inline]] inline __m512 widened(const Bf16* c, __mmask16 there) {
  const __m512i bits = _mm512_maskz_cvtepu16_epi32(all, _mm256_maskz_loadu_epi16(there, c));
  return __m512(_mm512_maskz_slli_epi32(all, bits, 16));
}

template <int rows, int vectors, bool packing>
void run_tile(const Product& product, const Bf16* a, const Bf16* b, Pair* packed, Bf16* c,
              __mmask16 last) {
  const auto& [n, k, row_a, step_a, alpha, beta, b_is_far, asked] = product;
  const auto lanes_of = [&](int vector) { return vector + 1 < vectors ? all : last; };
  for (int i = 0; i < rows; ++i) __builtin_prefetch(c + i * n, 1);
  const Bf16* soon = asked;
  __m512 sums[rows][vectors] = {};
#pragma GCC unroll 2
  for (std::size_t p = 0; p < k; p += 2, a += step_a, packed += vectors * lanes) {
    __m512i right[vectors];
    if (packing && b_is_far)
#pragma GCC unroll 2
      for (int row = 0; row < 2; ++row) {
        const Bf16* const ahead = b + (p + row + steps_ahead) * n;
        __builtin_prefetch(ahead);
        if constexpr (vectors > 2) __builtin_prefetch(ahead + 32);
        __builtin_prefetch(ahead + vectors * lanes - 1);
      }
    __builtin_prefetch(soon, 0, 2);
    soon += 2 * rows;
#pragma GCC unroll 4
    for (int j = 0; j < vectors; ++j)
      if constexpr (packing) {
        const Bf16* const row = b + p * n + j * lanes;
        right[j] = pairs_from(row, lanes_of(j), row + n, p + 1 < k ? lanes_of(j) : __mmask16(0));
        _mm512_storeu_si512(packed + j * lanes, right[j]);
      } else {
        right[j] = _mm512_loadu_si512(packed + j * lanes);
      }
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      Pair pair;
      __builtin_memcpy(&pair, a + i * row_a, sizeof pair);
      const __m512i left = _mm512_set1_epi32(int(pair));
#pragma GCC unroll 4
      for (int j = 0; j < vectors; ++j)
        sums[i][j] = _mm512_dpbf16_ps(sums[i][j], __m512bh(left), __m512bh(right[j]));
    }
  }
  if (alpha != 1) {  // where k is short these would be seen
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) scale(sums[i], alpha);
  }
  if (beta != 0) {
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
      for (int j = 0; j < vectors; ++j)
        sums[i][j] += _mm512_set1_ps(beta) * widened(c + i * n + j * lanes, lanes_of(j));
  }
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < vectors; ++j)
      _mm256_mask_storeu_epi16(c + i * n + j * lanes, lanes_of(j),
                               __m256i(_mm512_maskz_cvtneps_pbh(all, sums[i][j])));
}

template <int vectors, bool packing>
constexpr auto heights = every_height<RunBf16Tile, std::size_t(Avx512::most_rows(vectors))>(
    []<int rows>() { return &run_tile<rows, vectors, packing>; });
// [packing][vectors - 1][rows - 1]
constexpr const RunBf16Tile* tiles[2][most_vectors] = {
    {heights<1, false>.data(), heights<2, false>.data(), heights<3, false>.data()},
    {heights<1, true>.data(), heights<2, true>.data(), heights<3, true>.data()}};

struct Plan {
  explicit Plan(const GemmShape& shape)
      : tiles(Shares::of((shape.n + lanes - 1) / lanes, most_vectors)),
        panels(Shares::of(shape.m, std::size_t(Avx512::most_rows(std::max(1, int(tiles[0])))))),
        tile_pairs(tiles[0] * lanes * pairs_of(shape.k)),
        group(panels.parts > 1 ? panel_bytes / (tile_pairs * sizeof(Pair) + 1) : 1) {
    group = std::max<std::size_t>(1, std::min(group, tiles.parts));
  }

  Shares tiles;            // vectors of each
  Shares panels;           // rows of each
  std::size_t tile_pairs;  // of the widest one
  std::size_t group;       // tiles of b that are packed together
};

// The rows of a panel after the other, or pair after pair where a is transposed.
void copy_a(const GemmShape& shape, const Shares& panels, const Bf16* a, Pair* to) {
  const std::size_t m = shape.m, k = shape.k, pairs = pairs_of(k);
  for (std::size_t panel = 0, row = 0; panel < panels.parts; row += panels[panel++]) {
    const std::size_t rows = panels[panel];
    const __mmask16 there = first_lanes(rows);
    if (shape.transpose_a)
      for (std::size_t p = 0; p < k; p += 2, to += rows) {
        const Bf16* const line = a + p * m + row;
        _mm512_mask_storeu_epi32(
            to, there, pairs_from(line, there, line + m, p + 1 < k ? there : __mmask16(0)));
      }
    else
      for (std::size_t i = row; i < row + rows; ++i, to += pairs) {
        to[pairs - 1] = 0;
        std::memcpy(to, a + i * k, k * sizeof(Bf16));
      }
  }
}

// A vector of a tile, of columns that lie as rows of k numbers.
void pack_transposed(const Bf16* b, std::size_t columns, std::size_t k, Pair* to,
                     std::size_t stride) {
  for (std::size_t p = 0; p < k; p += 2 * lanes) {
    Vector<Pair, 64> block[lanes] = {};
    const __mmask32 there = k - p < 2 * lanes ? (__mmask32(1) << (k - p)) - 1 : ~__mmask32(0);
    for (std::size_t j = 0; j < std::min(columns, lanes); ++j)
      block[j] = Vector<Pair, 64>(_mm512_maskz_loadu_epi16(there, b + j * k + p));
    cpu::turn_rows<1>(block);
    const std::size_t pairs = std::min(lanes, pairs_of(k - p));
    for (std::size_t q = 0; q < pairs; ++q, to += stride) store(to, block[q]);
  }
}

bool is_along(const GemmShape& shape) {
  return shape.transpose_b && !shape.transpose_a && shape.k >= cpu::Bf16Pairs::steps &&
         shape.m <= cpu::Bf16Pairs::most_rows(shape.k);
}

void run_along(const GemmShape& shape, float alpha, const Bf16* a, const Bf16* b, float beta,
               Bf16* c) {
  using Products = cpu::DotProducts<Avx512, cpu::Bf16Pairs>;
  constexpr std::size_t at_once = 4 * lanes;
  const std::size_t m = shape.m, n = shape.n, k = shape.k;
  float wide[cpu::Bf16Pairs::most_rows(std::size_t(-1))][at_once];  // of c
  for (std::size_t j = 0; j < n; j += at_once, b += at_once * k, c += at_once) {
    const std::size_t columns = std::min(at_once, n - j);
    const auto each_vector = [&](const auto& work) {
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t v = 0; v < columns; v += lanes)
          work(wide[i] + v, c + i * n + v, first_lanes(columns - v));
    };
    if (beta != 0)
      each_vector([](float* to, const Bf16* from, __mmask16 there) {
        _mm512_storeu_ps(to, widened(from, there));
      });
    Products::run(columns, m, {k, b, k, a, k, wide[0], 1, at_once, alpha, beta});
    each_vector([](const float* from, Bf16* to, __mmask16 there) {
      const __m512 all_lanes = _mm512_maskz_loadu_ps(there, from);
      _mm256_mask_storeu_epi16(to, there, __m256i(_mm512_maskz_cvtneps_pbh(all, all_lanes)));
    });
  }
}

// Few columns beside rows that lie along k are summed: those that do not lie so are turned round.
// A tile would be mostly empty. Five columns and more need 256 steps to gain from this.
constexpr std::size_t most_columns = 8;
bool has_few_columns(const GemmShape& shape) {
  const std::size_t least_steps = cpu::Bf16Pairs::steps * (shape.n <= 4 ? 1 : 8);
  return !shape.transpose_a && shape.m >= 4 && shape.n > 1 && shape.n <= most_columns &&
         shape.k >= least_steps;
}

void run_few_columns(const GemmShape& shape, float alpha, const Bf16* a, const Bf16* b, float beta,
                     Bf16* c, void* workspace) {
  using Products = cpu::DotProducts<Avx512, cpu::Bf16Pairs>;
  using Bits = std::uint16_t;
  constexpr std::size_t at_once = 32;  // rows
  const std::size_t n = shape.n, k = shape.k;
  if (!shape.transpose_b) {
    cpu::transpose<64>(k, n, reinterpret_cast<const Bits*>(b), n, static_cast<Bits*>(workspace), k);
    b = static_cast<const Bf16*>(workspace);
  }
  alignas(64) float wide[at_once * most_columns];  // of c
  for (std::size_t i = 0; i < shape.m; i += at_once, a += at_once * k, c += at_once * n) {
    const std::size_t rows = std::min(at_once, shape.m - i);
    if (beta != 0)
      for (std::size_t v = 0; v < rows * n; v += lanes)
        _mm512_store_ps(wide + v, widened(c + v, first_lanes(rows * n - v)));
    Products::run(rows, n, {k, a, k, b, k, wide, n, 1, alpha, beta});
    for (std::size_t v = 0; v < rows * n; v += lanes) {
      const __mmask16 there = first_lanes(rows * n - v);
      const __m512 all_lanes = _mm512_maskz_load_ps(there, wide + v);
      _mm256_mask_storeu_epi16(c + v, there, __m256i(_mm512_maskz_cvtneps_pbh(all, all_lanes)));
    }
  }
}

// A row or a column lies the same way either way, and a column is multiplied as a row.
GemmShape simplified(GemmShape shape, const Bf16*& a, const Bf16*& b) {
  if (shape.n == 1) {
    shape = {!shape.transpose_b, !shape.transpose_a, shape.n, shape.m, shape.k};
    std::swap(a, b);
  }
  if (shape.m == 1) shape.transpose_a = false;
  return shape;
}

// One row or column reads too much for what it computes, unless both operands lie along k.
bool pays_off(const GemmShape& asked) {
  if (!vdpbf16ps_is_fast()) return false;
  const Bf16* none = nullptr;
  return (asked.m > 1 && asked.n > 1) || is_along(simplified(asked, none, none));
}

std::size_t workspace_bytes(const GemmShape& asked) {
  const Bf16* none = nullptr;
  const GemmShape shape = simplified(asked, none, none);
  if (is_along(shape)) return 0;
  if (has_few_columns(shape)) return shape.n * shape.k * sizeof(Bf16);
  const Plan plan(shape);
  const std::size_t copied = a_is_copied(shape) ? shape.m * pairs_of(shape.k) : 0;
  return (plan.group * plan.tile_pairs + copied) * sizeof(Pair);
}

void run(const GemmShape& asked, float alpha, const Bf16* a, const Bf16* b, float beta, Bf16* c,
         void* workspace) {
  const GemmShape shape = simplified(asked, a, b);
  if (is_along(shape)) return run_along(shape, alpha, a, b, beta, c);
  if (has_few_columns(shape)) return run_few_columns(shape, alpha, a, b, beta, c, workspace);
  const auto& [transpose_a, transpose_b, m, n, k] = shape;
  const Plan plan(shape);
  Pair* const packed_b = static_cast<Pair*>(workspace);
  std::size_t row_of_a = k;
  if (a_is_copied(shape)) {
    Pair* const copy = packed_b + plan.group * plan.tile_pairs;
    copy_a(shape, plan.panels, a, copy);
    a = reinterpret_cast<const Bf16*>(copy);
    row_of_a = 2 * pairs_of(k);
  }
  Product product{n, k, transpose_a ? 2 : row_of_a, 2, alpha, beta, n * k > far_elements, a};
  std::size_t tile = 0, column = 0;
  while (tile < plan.tiles.parts) {
    const std::size_t end = std::min(tile + plan.group, plan.tiles.parts), first = column;
    for (std::size_t panel = 0, row = 0; panel < plan.panels.parts; row += plan.panels[panel++]) {
      const std::size_t rows = plan.panels[panel];
      if (transpose_a) product.step_a = 2 * rows;
      Pair* packed = packed_b;
      column = first;
      for (std::size_t t = tile; t < end; ++t) {
        const std::size_t vectors = plan.tiles[t], columns = vectors * lanes;
        if (panel == 0 && transpose_b)
          for (std::size_t j = 0; j < columns; j += lanes)
            pack_transposed(b + (column + j) * k, n - column - j, k, packed + j, columns);
        const bool packing = panel == 0 && !transpose_b;
        product.soon = a + (row + (t + 1 == end ? rows : 0)) * row_of_a;
        tiles[packing][vectors - 1][rows - 1](product, a + row * row_of_a, b + column, packed,
                                              c + row * n + column,
                                              first_lanes(n - (column + columns - lanes)));
        packed += columns * pairs_of(k);
        column += columns;
      }
    }
    tile = end;
  }
}

}  // namespace

const Bf16Product vdpbf16ps = {&pays_off, &workspace_bytes, &run};

}  // namespace breakeven::serial
