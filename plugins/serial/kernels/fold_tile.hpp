// SPDX-License-Identifier: Apache-2.0
// The last few columns of c, fewer than fill a vector: a vector of b then holds these columns for
// several steps of k at once, and its sums are folded together at the end.
#pragma once

#include <utility>

#include "plugins/serial/kernels/tile.hpp"

namespace breakeven::serial {

// c = alpha a b + beta c for the first `count` of `columns` columns of one tile and the `panels` -
// 1 below it; b is packed, k × columns, and zero beyond `count`.
template <class T>
using RunFoldTile = void (*)(std::size_t panels, std::size_t k, const T* a, std::size_t stride_a,
                             const T* b, T* c, std::size_t stride_c, T alpha, T beta,
                             std::size_t count);

template <class Target, class T, int bytes, int rows, int columns>
struct FoldTile {
  using V = Vector<T, bytes>;
  using Columns = Vector<T, columns * sizeof(T)>;
  static constexpr int lanes = bytes / sizeof(T);
  using Lanes = std::make_integer_sequence<int, lanes>;

  // One of the `columns` vectors that together repeat every lane `columns` times.
  template <int... lane>
  [[gnu::always_inline]] static V spread(V v, int part, std::integer_sequence<int, lane...>) {
    switch (part) {
      case 0:
        return __builtin_shufflevector(v, v, (lane / columns)...);
      case 1:
        return __builtin_shufflevector(v, v, ((lane + lanes) / columns % lanes)...);
      case 2:
        return __builtin_shufflevector(v, v, ((lane + 2 * lanes) / columns % lanes)...);
      default:
        return __builtin_shufflevector(v, v, ((lane + 3 * lanes) / columns % lanes)...);
    }
  }

  template <int distance, int... lane>
  [[gnu::always_inline]] static V rotate(V v, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(v, v, ((lane + distance) % lanes)...);
  }

  // The sum of every column, in the first lanes.
  template <int distance = lanes / 2>
  [[gnu::always_inline]] static Columns fold(V v) {
    if constexpr (distance >= columns) {
      return fold<distance / 2>(v + rotate<distance>(v, Lanes()));
    } else {
      Columns sums;
      __builtin_memcpy(&sums, &v, sizeof sums);
      return sums;
    }
  }

  static void run(std::size_t panels, std::size_t k, const T* a, std::size_t stride_a, const T* b,
                  T* c, std::size_t stride_c, T alpha, T beta, std::size_t count) {
    for (; panels > 0; --panels, a += rows * stride_a, c += rows * stride_c) {
      // Else addresses of all rows are made before the first one, more than there are registers.
      asm("" : "+r"(k), "+r"(stride_a), "+r"(stride_c), "+r"(count));
      product(k, a, stride_a, b, c, stride_c, alpha, beta, count);
    }
  }

  [[gnu::always_inline]] static void product(std::size_t k, const T* a, std::size_t stride_a,
                                             const T* b, T* c, std::size_t stride_c, T alpha,
                                             T beta, std::size_t count) {
    V sums[rows] = {};
    std::size_t p = 0;
    for (; p + lanes <= k; p += lanes) {
      V loaded[columns];
#pragma GCC unroll 4
      for (int part = 0; part < columns; ++part)
        loaded[part] = load<V>(b + p * columns + part * lanes);
#pragma GCC unroll 32
      for (int i = 0; i < rows; ++i) {
        const V factors = load<V>(a + i * stride_a + p);
#pragma GCC unroll 4
        for (int part = 0; part < columns; ++part)
          sums[i] += loaded[part] * spread(factors, part, Lanes());
      }
    }
    Columns folded[rows];
#pragma GCC unroll 32
    for (int i = 0; i < rows; ++i) folded[i] = fold(sums[i]);
    for (; p < k; ++p) {
      const Columns loaded = load<Columns>(b + p * columns);
#pragma GCC unroll 32
      for (int i = 0; i < rows; ++i) folded[i] += broadcast<Columns>(a[i * stride_a + p]) * loaded;
    }
    if (alpha != 1) scale(folded, alpha);
#pragma GCC unroll 32
    for (int i = 0; i < rows; ++i) {
      T* row = c + i * stride_c;
      if (count == columns) {
        beta == 0 ? store(row, folded[i]) : add_to(row, folded[i], beta);
      } else {
        T values[columns];
        store(values, folded[i]);
        for (std::size_t j = 0; j < count; ++j)
          row[j] = beta == 0 ? values[j] : values[j] + beta * row[j];
      }
    }
  }
};

}  // namespace breakeven::serial
