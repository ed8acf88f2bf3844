// SPDX-License-Identifier: Apache-2.0
// Products row by row: of one row and a wide b that is larger than the first caches, or of a few
// steps.
#pragma once

#include <array>
#include <utility>

#include "plugins/cpu_common/row.hpp"
#include "plugins/serial/kernels/kernels.hpp"

namespace breakeven::serial {

// So many rows of b at once.
template <class Target, class T, int bytes, int at_once>
void run_row(const GemmPlan<T>& plan, std::size_t batch, T alpha, const T* a, const T* b, T beta,
             T* c, T*) {
  const std::size_t n = plan.shape.n, k = plan.shape.k;
  if (plan.swapped) std::swap(a, b);
  for (; batch > 0; --batch, a += k, b += k * n, c += n)
    cpu::Row<Target, T, bytes, at_once>::product(n, k, alpha, a, b, beta, c);
}

// Many rows of so few steps, as many columns of all of them after the other as the plan's tiles
// have vectors: c is written in long pieces.
template <class Target, class T, int bytes, int steps>
void run_rows_of_steps(const GemmPlan<T>& plan, std::size_t batch, T alpha, const T* a, const T* b,
                       T beta, T* c, T*) {
  constexpr std::size_t lanes = bytes / sizeof(T);
  const std::size_t m = plan.shape.m, n = plan.shape.n;
  const std::size_t row = plan.shape.transpose_a ? 1 : steps, step = plan.shape.transpose_a ? m : 1;
  if (plan.swapped) std::swap(a, b);
  for (; batch > 0; --batch, a += m * steps, b += steps * n, c += m * n)
    for (std::size_t tile = 0, j = 0; tile < plan.tiles.parts; ++tile) {
      const std::size_t columns = std::min(plan.tiles[tile] * lanes, n - j);
      for (std::size_t i = 0; i < m; ++i) {
        T factors[steps];
        for (int p = 0; p < steps; ++p) factors[p] = a[i * row + p * step];
        cpu::Row<Target, T, bytes, steps>::columns(columns, n, alpha, factors, b + j, beta,
                                                   c + i * n + j);
      }
      j += columns;
    }
}

// [steps - 1]
inline constexpr std::size_t most_steps_of_rows = 7;
template <class Target, class T, int bytes>
inline constexpr auto rows_of_steps = []<int... i>(std::integer_sequence<int, i...>) {
  return std::array{&run_rows_of_steps<Target, T, bytes, i + 1>...};
}
(std::make_integer_sequence<int, int(most_steps_of_rows)>());

}  // namespace breakeven::serial
