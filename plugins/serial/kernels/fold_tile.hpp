// SPDX-License-Identifier: Apache-2.0
// The last few columns of c, fewer than fill a vector: a vector of b then holds these columns for
// several steps of k at once, and its sums are folded together at the end.
#pragma once

#include <utility>

#include "plugins/serial/kernels/tile.hpp"

namespace breakeven::serial {

// c = alpha a b + beta c for the first `count` of `columns` columns; b is packed, k × columns, and
// zero beyond `count`.
template <class T>
using RunFoldTile = void (*)(std::size_t k, const T* a, std::size_t stride_a, const T* b, T* c,
                             std::size_t stride_c, T alpha, T beta, std::size_t count);

template <class Target, class T, int bytes, int rows, int columns>
struct FoldTile {
  using Wide = Vector<T, bytes>;
  using Narrow = Vector<T, columns * sizeof(T)>;
  static constexpr int lanes = bytes / sizeof(T);
  static constexpr int steps = lanes / columns;
  using Steps = Vector<T, steps * sizeof(T)>;

  template <int... lane>
  [[gnu::always_inline]] static Wide spread(Steps factors, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(factors, factors, (lane / columns)...);
  }

  template <class V, int... lane>
  [[gnu::always_inline]] static auto halves_added(V v, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(v, v, lane...) +
           __builtin_shufflevector(v, v, (lane + int(sizeof...(lane)))...);
  }

  template <class V>
  [[gnu::always_inline]] static Narrow fold(V v) {
    constexpr int now = sizeof(V) / sizeof(T);
    if constexpr (now == columns)
      return v;
    else
      return fold(halves_added(v, std::make_integer_sequence<int, now / 2>()));
  }

  static void run(std::size_t k, const T* a, std::size_t stride_a, const T* b, T* c,
                  std::size_t stride_c, T alpha, T beta, std::size_t count) {
    Wide sums[rows] = {};
    for (; k >= steps; k -= steps, a += steps, b += lanes) {
      const Wide loaded = load<Wide>(b);
#pragma GCC unroll 32
      for (int i = 0; i < rows; ++i)
        sums[i] += loaded *
                   spread(load<Steps>(a + i * stride_a), std::make_integer_sequence<int, lanes>());
    }
    for (int i = 0; i < rows; ++i) {
      Narrow sum = fold(sums[i]);
      for (std::size_t p = 0; p < k; ++p)
        sum += broadcast<Narrow>(a[i * stride_a + p]) * load<Narrow>(b + p * columns);
      sum *= broadcast<Narrow>(alpha);
      T* row = c + i * stride_c;
      for (std::size_t j = 0; j < count; ++j) row[j] = beta == 0 ? sum[j] : sum[j] + beta * row[j];
    }
  }
};

}  // namespace breakeven::serial
