// SPDX-License-Identifier: Apache-2.0
// A tile of c held in registers while k runs: rows × vectors sums, each step an outer product of a
// column of a, broadcast, and a row of b.
#pragma once

#include "plugins/serial/kernels/vector.hpp"

namespace breakeven::serial {

// c = alpha a b + beta c for one tile. Strides are in elements. The last vector of a tile may begin
// before its neighbour ends, so that it ends with the matrix: `last_b` and `last_c` say where it
// begins, and its first `keep` lanes of c stay as they are.
template <class T>
using RunTile = void (*)(std::size_t k, const T* a, std::size_t stride_a, const T* b,
                         std::size_t stride_b, T* c, std::size_t stride_c, T alpha, T beta,
                         std::size_t last_b, std::size_t last_c, std::size_t keep);

template <class V, class T>
[[gnu::always_inline]] inline void update(T* c, V sum, T alpha, T beta) {
  sum *= broadcast<V>(alpha);
  if (beta != 0) sum += broadcast<V>(beta) * load<V>(c);
  store(c, sum);
}

template <class V, class T>
[[gnu::always_inline]] inline void update_but(std::size_t keep, T* c, V sum, T alpha, T beta) {
  constexpr std::size_t lanes = sizeof(V) / sizeof(T);
  const V old = load<V>(c);
  const V fresh = broadcast<V>(alpha) * sum + broadcast<V>(beta) * old;
  T mixed[lanes];
  store(mixed, fresh);
  for (std::size_t lane = 0; lane < keep; ++lane) mixed[lane] = c[lane];
  store(c, load<V>(mixed));
}

template <class Target, class V, class T, int rows, int vectors, bool transposed_a>
struct Tile {
  static constexpr std::size_t lanes = sizeof(V) / sizeof(T);

  static void run(std::size_t k, const T* a, std::size_t stride_a, const T* b, std::size_t stride_b,
                  T* c, std::size_t stride_c, T alpha, T beta, std::size_t last_b,
                  std::size_t last_c, std::size_t keep) {
    V sums[rows][vectors] = {};
    const std::size_t step_a = transposed_a ? stride_a : 1;
    const auto step = [&](const T* column, const T* row) __attribute__((always_inline)) {
      V loaded[vectors];
#pragma GCC unroll 8
      for (int j = 0; j < vectors - 1; ++j) loaded[j] = load<V>(row + j * lanes);
      loaded[vectors - 1] = load<V>(row + last_b);
#pragma GCC unroll 32
      for (int i = 0; i < rows; ++i) {
        const V factor = broadcast<V>(transposed_a ? column[i] : column[i * stride_a]);
#pragma GCC unroll 8
        for (int j = 0; j < vectors; ++j) sums[i][j] += factor * loaded[j];
      }
    };
    // c is wanted soon after these steps.
    constexpr std::size_t ahead = 32;
    if (k > 2 * ahead) {
#pragma GCC unroll 2
      for (std::size_t p = 0; p < k - ahead; ++p, a += step_a, b += stride_b) step(a, b);
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < vectors; ++j) __builtin_prefetch(c + i * stride_c + j * lanes, 1);
      k = ahead;
    }
#pragma GCC unroll 2
    for (std::size_t p = 0; p < k; ++p, a += step_a, b += stride_b) step(a, b);

#pragma GCC unroll 32
    for (int i = 0; i < rows; ++i, c += stride_c) {
#pragma GCC unroll 8
      for (int j = 0; j < vectors - 1; ++j) update(c + j * lanes, sums[i][j], alpha, beta);
      if (keep == 0)
        update(c + last_c, sums[i][vectors - 1], alpha, beta);
      else
        update_but(keep, c + last_c, sums[i][vectors - 1], alpha, beta);
    }
  }
};

}  // namespace breakeven::serial
