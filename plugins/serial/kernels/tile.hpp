// SPDX-License-Identifier: Apache-2.0
// A tile of c held in registers while k runs: rows × vectors sums, each step an outer product of a
// column of a, broadcast, and a row of b.
#pragma once

#include "plugins/serial/kernels/vector.hpp"

namespace breakeven::serial {

// c = alpha a b + beta c for one tile. Strides are in elements; those of a are from row to row and
// from step to step of k, one of them 1. The last vector of a tile may begin
// before its neighbour ends, so that it ends with the matrix: `last_b` and `last_c` say where it
// begins, and its first `keep` lanes of c stay as they are.
// `next_a`, where not null, is a panel as long as this one, to be brought nearer meanwhile.
// All of them are arguments, because a structure of them costs 20 cycles to put together.
template <class T>
using RunTile = void (*)(std::size_t k, const T* a, std::size_t row_a, std::size_t step_a,
                         const T* b, std::size_t stride_b, T* c, std::size_t stride_c, T alpha,
                         T beta, std::size_t last_b, std::size_t last_c, std::size_t keep,
                         const T* next_a);

// The same, and leaves the rows of b that it read one after the other in `packed`: while they come
// from far away there is something to compute.
template <class T>
using RunPackingTile = void (*)(std::size_t k, const T* a, std::size_t row_a, std::size_t step_a,
                                const T* b, std::size_t stride_b, T* c, std::size_t stride_c,
                                T alpha, T beta, std::size_t last_b, std::size_t last_c,
                                std::size_t keep, const T* next_a, T* packed);

template <class V, std::size_t count, class T>
[[gnu::always_inline]] inline void scale(V (&sums)[count], T alpha) {
#pragma GCC unroll 32
  for (V& sum : sums) sum *= broadcast<V>(alpha);
}

template <class V, class T>
[[gnu::always_inline]] inline void update(T* c, V sum, T beta) {
  if (beta != 0) sum += broadcast<V>(beta) * load<V>(c);
  store(c, sum);
}

template <class V, class T>
[[gnu::always_inline]] inline void update_but(std::size_t keep, T* c, V sum, T beta) {
  constexpr std::size_t lanes = sizeof(V) / sizeof(T);
  const V old = load<V>(c);
  const V fresh = sum + broadcast<V>(beta) * old;
  T mixed[lanes];
  store(mixed, fresh);
  for (std::size_t lane = 0; lane < keep; ++lane) mixed[lane] = c[lane];
  store(c, load<V>(mixed));
}

template <class Target, class V, class T, int rows, int vectors>
struct Tile {
  static constexpr std::size_t lanes = sizeof(V) / sizeof(T);

  static void run(std::size_t k, const T* a, std::size_t row_a, std::size_t step_a, const T* b,
                  std::size_t stride_b, T* c, std::size_t stride_c, T alpha, T beta,
                  std::size_t last_b, std::size_t last_c, std::size_t keep, const T* next_a) {
    product<false>(k, a, row_a, step_a, b, stride_b, c, stride_c, alpha, beta, last_b, last_c, keep,
                   next_a, nullptr);
  }

  static void run_packing(std::size_t k, const T* a, std::size_t row_a, std::size_t step_a,
                          const T* b, std::size_t stride_b, T* c, std::size_t stride_c, T alpha,
                          T beta, std::size_t last_b, std::size_t last_c, std::size_t keep,
                          const T* next_a, T* packed) {
    product<true>(k, a, row_a, step_a, b, stride_b, c, stride_c, alpha, beta, last_b, last_c, keep,
                  next_a, packed);
  }

 private:
  // So long before the end the lines of c are asked for, and before they are packed those of b.
  static constexpr std::size_t steps_ahead = 32;

  template <bool packing>
  [[gnu::always_inline]] static void product(std::size_t k, const T* a, std::size_t row_a,
                                             std::size_t step_a, const T* b, std::size_t stride_b,
                                             T* c, std::size_t stride_c, T alpha, T beta,
                                             std::size_t last_b, std::size_t last_c,
                                             std::size_t keep, const T* next_a, T* packed) {
    V sums[rows][vectors] = {};
    // Of the row of b that is packed so many steps later: at the end, of the tile to the right.
    const T* soon = packing ? b + steps_ahead * stride_b : nullptr;
    const T* const right = packing ? b + vectors * lanes : nullptr;
    const auto run_steps = [&](std::size_t steps) __attribute__((always_inline)) {
#pragma GCC unroll 2
      for (std::size_t p = 0; p < steps; ++p, a += step_a, b += stride_b) {
        V loaded[vectors];
#pragma GCC unroll 8
        for (int j = 0; j < vectors - 1; ++j) loaded[j] = load<V>(b + j * lanes);
        loaded[vectors - 1] = load<V>(b + last_b);
        if constexpr (packing) {
#pragma GCC unroll 8
          for (int j = 0; j < vectors; ++j, packed += lanes) {
            store(packed, loaded[j]);
            __builtin_prefetch(soon + j * lanes);
          }
          soon += stride_b;
        }
#pragma GCC unroll 32
        for (int i = 0; i < rows; ++i) {
          const V factor = broadcast<V>(a[i * row_a]);
#pragma GCC unroll 8
          for (int j = 0; j < vectors; ++j) sums[i][j] += factor * loaded[j];
        }
      }
    };

    if (k > 2 * steps_ahead) {
      // Far away the lines of c are asked for twice: into the second cache, and near the end.
      if (k > 4 * steps_ahead)
        for (int i = 0; i < rows; ++i)
          for (int j = 0; j < vectors; ++j) __builtin_prefetch(c + i * stride_c + j * lanes, 1, 2);
      if (next_a) {
        // A cache line of every row, for every line of this panel.
        constexpr std::size_t line = 64 / sizeof(T);
        for (; k > steps_ahead + line; k -= line, next_a += line) {
          for (int i = 0; i < rows; ++i) __builtin_prefetch(next_a + i * row_a, 0, 2);
          run_steps(line);
        }
      }
      run_steps(k - steps_ahead);
      if constexpr (packing) soon = right;
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < vectors; ++j) __builtin_prefetch(c + i * stride_c + j * lanes, 1);
      k = steps_ahead;
    }
    run_steps(k);

    if (alpha != 1) {  // where k is short these would be seen
#pragma GCC unroll 32
      for (int i = 0; i < rows; ++i) scale(sums[i], alpha);
    }
#pragma GCC unroll 32
    for (int i = 0; i < rows; ++i, c += stride_c) {
#pragma GCC unroll 8
      for (int j = 0; j < vectors - 1; ++j) update(c + j * lanes, sums[i][j], beta);
      if (keep == 0)
        update(c + last_c, sums[i][vectors - 1], beta);
      else
        update_but(keep, c + last_c, sums[i][vectors - 1], beta);
    }
  }
};

}  // namespace breakeven::serial
