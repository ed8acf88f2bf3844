// SPDX-License-Identifier: Apache-2.0
// A tile of c whose rows are shorter than one vector, but longer than half of it. The rows of b and
// of c follow one another, so that a vector reaches into the next row: what it loads there is not
// used, and what it stores there is overwritten with that row. Only the last row ends where it
// ends.
#pragma once

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "plugins/serial/kernels/tile.hpp"

namespace breakeven::serial {

// The first `count` lanes of a vector, more than half of them. By Target, because sources for
// different processors differ here.
template <class Target, class V, class T>
class ShortRow {
 public:
  explicit ShortRow(std::size_t count) : count_(count) {}

  [[gnu::always_inline]] V load(const T* from) const {
    if constexpr (masks) return load_by_mask(from);
    T values[lanes] = {};
    copy(values, from);
    return serial::load<V>(values);
  }
  [[gnu::always_inline]] void store(T* to, V vector) const {
    if constexpr (masks) return store_by_mask(to, vector);
    T values[lanes];
    serial::store(values, vector);
    copy(to, values);
  }

#if defined(__AVX512F__)
  // Then all rows are stored so: those that reach over each other's end take long.
  static constexpr bool masks = sizeof(V) == 64;

 private:
  [[gnu::always_inline]] V load_by_mask(const T* from) const {
    if constexpr (sizeof(T) == 4)
      return V(_mm512_maskz_loadu_ps(__mmask16((1u << count_) - 1), from));
    else
      return V(_mm512_maskz_loadu_pd(__mmask8((1u << count_) - 1), from));
  }
  [[gnu::always_inline]] void store_by_mask(T* to, V vector) const {
    if constexpr (sizeof(T) == 4)
      _mm512_mask_storeu_ps(to, __mmask16((1u << count_) - 1), __m512(vector));
    else
      _mm512_mask_storeu_pd(to, __mmask8((1u << count_) - 1), __m512d(vector));
  }
#else
  static constexpr bool masks = false;
#endif

 private:
  static constexpr std::size_t lanes = sizeof(V) / sizeof(T);
  using Half = Vector<T, sizeof(V) / 2>;

  [[gnu::always_inline]] void copy(T* to, const T* from) const {
    const std::size_t rest = count_ - lanes / 2;
    const Half first = serial::load<Half>(from), last = serial::load<Half>(from + rest);
    serial::store(to, first);
    serial::store(to + rest, last);
  }

  std::size_t count_;
};

// As Tile with one vector; the rows are `stride_c` long.
template <class Target, class V, class T, int rows>
struct NarrowTile {
  static void run(std::size_t panels, std::size_t k, const T* a, std::size_t row_a,
                  std::size_t step_a, const T* b, std::size_t stride_b, T* c, std::size_t stride_c,
                  T alpha, T beta, std::size_t, std::size_t, std::size_t, const Soon<T>*) {
    for (; panels > 0; --panels, a += rows * row_a, c += rows * stride_c)
      product(k, a, row_a, step_a, b, stride_b, c, stride_c, alpha, beta);
  }

 private:
  [[gnu::always_inline]] static void product(std::size_t k, const T* a, std::size_t row_a,
                                             std::size_t step_a, const T* b, std::size_t stride_b,
                                             T* c, std::size_t stride_c, T alpha, T beta) {
    const ShortRow<Target, V, T> short_row(stride_c);
    V sums[rows] = {};
    cpu::RowPointers<T, rows> at_a(a, row_a);
    const auto step = [&](V loaded) __attribute__((always_inline)) {
#pragma GCC unroll 32
      for (int i = 0; i < rows; ++i) sums[i] += broadcast<V>(at_a[i]) * loaded;
      at_a.advance(step_a);
    };
    if (k != 0) {
      const V last = short_row.load(b + (k - 1) * stride_b);
#pragma GCC unroll 2
      for (std::size_t p = 1; p < k; ++p, b += stride_b) step(load<V>(b));
      step(last);
    }

    // Else addresses of all rows of c are made before the steps, which need the registers.
    asm volatile("" : "+m"(c), "+m"(stride_c));
    if (alpha != 1) scale(sums, alpha);
    if (beta != 0) {
      // A row is read before the one above it is stored over its beginning.
#pragma GCC unroll 32
      for (int i = 0; i < rows; ++i) {
        const T* const row = c + i * stride_c;
        sums[i] += broadcast<V>(beta) * (i + 1 < rows ? load<V>(row) : short_row.load(row));
      }
    }
#pragma GCC unroll 32
    for (int i = 0; i + 1 < rows; ++i)
      short_row.masks ? short_row.store(c + i * stride_c, sums[i])
                      : store(c + i * stride_c, sums[i]);
    short_row.store(c + (rows - 1) * stride_c, sums[rows - 1]);
  }
};

}  // namespace breakeven::serial
