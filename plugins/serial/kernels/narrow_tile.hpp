// SPDX-License-Identifier: Apache-2.0
// A tile of c whose rows are shorter than one vector, but longer than half of it. The rows of b and
// of c follow one another, so that a vector reaches into the next row: what it loads there is not
// used, and what it stores there is overwritten with that row. Only the last row ends where it
// ends.
#pragma once

#include "plugins/serial/kernels/tile.hpp"

namespace breakeven::serial {

template <class V, class T>
class ShortRow {
 public:
  explicit ShortRow(std::size_t count) : rest_(count - lanes / 2) {}

  [[gnu::always_inline]] V load(const T* from) const {
    T values[lanes] = {};
    copy(values, from);
    return serial::load<V>(values);
  }
  [[gnu::always_inline]] void store(T* to, V vector) const {
    T values[lanes];
    serial::store(values, vector);
    copy(to, values);
  }

 private:
  static constexpr std::size_t lanes = sizeof(V) / sizeof(T);
  using Half = Vector<T, sizeof(V) / 2>;

  [[gnu::always_inline]] void copy(T* to, const T* from) const {
    const Half first = serial::load<Half>(from), last = serial::load<Half>(from + rest_);
    serial::store(to, first);
    serial::store(to + rest_, last);
  }

  std::size_t rest_;  // where the second half begins
};

// As Tile with one vector; the rows are `stride_c` long.
template <class Target, class V, class T, int rows>
struct NarrowTile {
  static void run(std::size_t panels, std::size_t k, const T* a, std::size_t row_a,
                  std::size_t step_a, const T* b, std::size_t stride_b, T* c, std::size_t stride_c,
                  T alpha, T beta, std::size_t, std::size_t, std::size_t, const T*) {
    for (; panels > 0; --panels, a += rows * row_a, c += rows * stride_c)
      product(k, a, row_a, step_a, b, stride_b, c, stride_c, alpha, beta);
  }

 private:
  [[gnu::always_inline]] static void product(std::size_t k, const T* a, std::size_t row_a,
                                             std::size_t step_a, const T* b, std::size_t stride_b,
                                             T* c, std::size_t stride_c, T alpha, T beta) {
    const ShortRow<V, T> short_row(stride_c);
    V sums[rows] = {};
    RowsOf<T, rows> at_a(a, row_a);
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
    for (int i = 0; i + 1 < rows; ++i) store(c + i * stride_c, sums[i]);
    short_row.store(c + (rows - 1) * stride_c, sums[rows - 1]);
  }
};

}  // namespace breakeven::serial
