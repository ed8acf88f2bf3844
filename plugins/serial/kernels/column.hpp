// SPDX-License-Identifier: Apache-2.0
// A product with one column, two or three: sums along k of several rows of a, which is read as it
// lies.
#pragma once

#include <algorithm>
#include <utility>

#include "plugins/serial/kernels/kernels.hpp"
#include "plugins/serial/kernels/tile.hpp"

namespace breakeven::serial {

// `Format` as AsStored.
template <class Target, class T, int bytes, int columns, class Format = AsStored<T, bytes>>
class Column {
  using A = typename Format::Element;
  using V = Vector<T, bytes>;
  static constexpr std::size_t lanes = bytes / sizeof(T);
  // At once: enough sums that none waits for itself.
  static constexpr int rows = 8;
  // So many sums come out of the vectors together, by instructions that stay within 16 bytes.
  static constexpr int together = std::min(bytes, 32) / sizeof(T);

 public:
  static void run(const GemmPlan<T>& plan, std::size_t batch, T alpha, const T* a, const T* b,
                  T beta, T* c, T* workspace) {
    const auto& [transpose_a, transpose_b, m, n, k] = plan.shape;
    if (plan.swapped) std::swap(a, b);
    for (; batch > 0; --batch, a += m * k, b += k * n, c += m * n) {
      const T* column = b;
      if (columns > 1 && !transpose_b) {
        for (std::size_t p = 0; p < k; ++p)
          for (int j = 0; j < columns; ++j) workspace[j * k + p] = b[p * columns + j];
        column = workspace;
      }
      product(m, k, alpha, a, column, beta, c);
    }
  }

  // The columns of b follow one another.
  static void product(std::size_t m, std::size_t k, T alpha, const A* a, const T* b, T beta, T* c) {
    for (std::size_t row = 0; row < m; row += rows)
      run_rows(std::min<std::size_t>(rows, m - row), k, alpha, a + row * k, b, beta,
               c + row * columns);
  }

 private:
  // The first `count` of them.
  static void run_rows(std::size_t count, std::size_t k, T alpha, const A* a, const T* b, T beta,
                       T* c) {
    // There is always a row to read: then one loop does for every count.
    const A* row[rows];
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) row[i] = a + std::min<std::size_t>(i, count - 1) * k;
    V sums[columns][rows] = {};
    const auto step = [&](std::size_t p, auto kept) __attribute__((always_inline)) {
      V right[columns];
#pragma GCC unroll 3
      for (int j = 0; j < columns; ++j) right[j] = kept(load<V>(b + j * k + p));
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i) {
        const V left = kept(Format::load(row[i] + p));
#pragma GCC unroll 3
        for (int j = 0; j < columns; ++j) sums[j][i] += left * right[j];
      }
    };
    std::size_t p = 0;
    for (; p + lanes <= k; p += lanes) step(p, [](V v) { return v; });
    if (p < k)
      step(
          k - lanes, [done = p - (k - lanes)](V v)
                         __attribute__((always_inline)) { return but_first<T>(done, V{}, v); });
#pragma GCC unroll 8
    for (int i = 0; i < rows; i += together) {
      W totals[columns];
#pragma GCC unroll 3
      for (int j = 0; j < columns; ++j) totals[j] = broadcast<W>(alpha) * add_up(sums[j] + i);
      if constexpr (columns == 3) {
        for (std::size_t at = i; at < std::min<std::size_t>(count, i + together); ++at)
          for (int j = 0; j < columns; ++j) {
            T& to = c[at * columns + j];
            to = totals[j][at - i] + (beta == 0 ? T(0) : beta * to);
          }
        continue;
      }
      if constexpr (columns == 2) {
        const W first = totals[0];
        totals[0] = interleave<0>(first, totals[1], Lanes());
        totals[1] = interleave<together / 2>(first, totals[1], Lanes());
      }
#pragma GCC unroll 3
      for (int j = 0; j < columns; ++j) {
        const std::size_t at = i * columns + j * together;
        if (at + together <= count * columns)
          beta == 0 ? store(c + at, totals[j]) : add_to(c + at, totals[j], beta);
        else
          for (std::size_t lane = 0; at + lane < count * columns; ++lane)
            c[at + lane] = totals[j][lane] + (beta == 0 ? T(0) : beta * c[at + lane]);
      }
    }
  }

  using W = Vector<T, together * sizeof(T)>;
  using Lanes = std::make_integer_sequence<int, together>;
  static constexpr int piece = 16 / sizeof(T);

  // Where lane `lane` of a sum of two vectors comes from, whose pieces hold groups of `group`
  // elements for each row; of each group the first half, or the `second`.
  static constexpr int source(int group, bool second, int lane) {
    const int of_piece = piece / group, row = lane % piece / (group / 2);
    return (row < of_piece ? 0 : together) + lane / piece * piece + row % of_piece * group +
           lane % (group / 2) + (second ? group / 2 : 0);
  }
  template <int group, int... lane>
  [[gnu::always_inline]] static W add_halves(W x, W y, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(x, y, source(group, false, lane)...) +
           __builtin_shufflevector(x, y, source(group, true, lane)...);
  }
  template <int... lane>
  [[gnu::always_inline]] static W add_pieces(W x, W y, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(x, y, (lane % piece + lane / piece * together)...) +
           __builtin_shufflevector(x, y, (lane % piece + lane / piece * together + piece)...);
  }
  template <int first, int... lane>
  [[gnu::always_inline]] static W interleave(W x, W y, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(x, y, (first + lane / 2 + lane % 2 * together)...);
  }
  template <int first, int... lane>
  [[gnu::always_inline]] static W part(V v, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(v, v, (first + lane)...);
  }

  // The sums of the elements of each of `together` vectors.
  [[gnu::always_inline]] static W add_up(const V* of) {
    W all[together];
#pragma GCC unroll 8
    for (int i = 0; i < together; ++i) {
      if constexpr (lanes > together)
        all[i] = part<0>(of[i], Lanes()) + part<together>(of[i], Lanes());
      else
        all[i] = of[i];
    }
    int count = together / 2;
    if constexpr (piece == 4) {
#pragma GCC unroll 4
      for (int i = 0; i < count; ++i) all[i] = add_halves<4>(all[2 * i], all[2 * i + 1], Lanes());
      count /= 2;
    }
#pragma GCC unroll 2
    for (int i = 0; i < count; ++i) all[i] = add_halves<2>(all[2 * i], all[2 * i + 1], Lanes());
    if constexpr (together > piece) all[0] = add_pieces(all[0], all[1], Lanes());
    return all[0];
  }
};

}  // namespace breakeven::serial
