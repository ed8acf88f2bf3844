// SPDX-License-Identifier: Apache-2.0
// The last few columns of c, fewer than fill a vector: a vector of b then holds these columns for
// several steps of k at once, and its sums are folded together at the end.
#pragma once

#include <utility>

#include "plugins/serial/kernels/tile.hpp"

namespace breakeven::serial {

// c = alpha a b + beta c for the first `count` of `columns` columns of one tile and the `panels` -
// 1 below it. b is packed by `pack_folded` and zero beyond `count`.
template <class T>
using RunFoldTile = void (*)(std::size_t panels, std::size_t k, const T* a, std::size_t stride_a,
                             const T* b, T* c, std::size_t stride_c, T alpha, T beta,
                             std::size_t count);

// Of as many steps of k as a vector has lanes `columns` vectors are made. Each takes its share of
// the steps from every 16 bytes of a row of a; `put` is called with where a step belongs. The steps
// that are left over follow one another.
template <class T, int bytes, std::size_t columns>
[[gnu::always_inline]] inline void pack_folded(std::size_t k, T* to, auto put) {
  constexpr std::size_t lanes = bytes / sizeof(T), piece = 16 / sizeof(T);
  std::size_t p = 0;
  if constexpr (columns > 1)
    for (; p + piece <= k / lanes * lanes; p += piece)
#pragma GCC unroll 8
      for (std::size_t i = 0; i < piece; ++i)
        put(to + p / lanes * lanes * columns + i * columns / piece * lanes + p % lanes +
                i * columns % piece,
            p + i);
  for (; p < k; ++p) put(to + p * columns, p);
}

template <class Target, class T, int bytes, int rows, int columns>
struct FoldTile {
  using V = Vector<T, bytes>;
  using Columns = Vector<T, columns * sizeof(T)>;
  static constexpr int lanes = bytes / sizeof(T);
  using Lanes = std::make_integer_sequence<int, lanes>;

  // Instructions that stay within 16 bytes are the fast ones: the order of b goes by them.
  static constexpr int piece = 16 / sizeof(T);

  // Of `lanes` steps those of vector `part` of b, each of them `columns` times.
  template <int part, int... lane>
  [[gnu::always_inline]] static V spread(V v, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(
        v, v, (lane - lane % piece + part * (piece / columns) + lane % piece / columns)...);
  }

  template <int first, class W, int... lane>
  [[gnu::always_inline]] static auto half(W v, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(v, v, (first + lane)...);
  }

  template <int distance, class W, int... lane>
  [[gnu::always_inline]] static W rotate(W v, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(v, v, ((lane + distance) % int(sizeof...(lane)))...);
  }

  // The sum of every column.
  template <class W>
  [[gnu::always_inline]] static Columns fold(W v) {
    constexpr int count = sizeof(W) / sizeof(T);
    if constexpr (count > piece) {
      using Lanes = std::make_integer_sequence<int, count / 2>;
      return fold(half<0>(v, Lanes()) + half<count / 2>(v, Lanes()));
    } else {
      using Lanes = std::make_integer_sequence<int, piece>;
      if constexpr (piece / 2 >= columns) v += rotate<piece / 2>(v, Lanes());
      if constexpr (piece / 4 >= columns) v += rotate<piece / 4>(v, Lanes());
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
        [&]<int... part>(std::integer_sequence<int, part...>) __attribute__((always_inline)) {
          ((sums[i] += loaded[part] * spread<part>(factors, Lanes())), ...);
        }
        (std::make_integer_sequence<int, columns>());
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
