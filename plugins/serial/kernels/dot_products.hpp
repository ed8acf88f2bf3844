// SPDX-License-Identifier: Apache-2.0
// A product of rows of a with columns of b that follow one another along k: sums along k, which
// come out of their vectors several at a time. For few columns, where tiles would be empty.
#pragma once

#include <algorithm>
#include <utility>

#include "plugins/serial/kernels/kernels.hpp"
#include "plugins/serial/kernels/tile.hpp"

namespace breakeven::serial {

// `Format` as AsStored, for a.
template <class Target, class T, int bytes, class Format = AsStored<T, bytes>>
class DotProducts {
  using A = typename Format::Element;
  using V = Vector<T, bytes>;
  static constexpr std::size_t lanes = bytes / sizeof(T);
  static constexpr int rows = 8;  // at once: enough sums that none waits for itself
  // So many sums come out of their vectors together, by instructions that stay within 16 bytes.
  static constexpr int sums_at_once = std::min(bytes, 32) / sizeof(T);

 public:
  // Columns that rows are multiplied with at once: more than one need many registers.
  static constexpr int most_columns = Target::bytes == 64 ? 3 : 1;
  // The most columns that pay off by way of c's columns, which are turned round then.
  static constexpr int most_turned = Target::bytes == 64 ? 6 : most_columns;

  // No more columns than `most_turned`, or any number of them where `plan.across`.
  static void run(const GemmPlan<T>& plan, std::size_t batch, T alpha, const T* a, const T* b,
                  T beta, T* c, T* workspace) {
    const auto& [transpose_a, transpose_b, m, n, k] = plan.shape;
    if (plan.swapped) std::swap(a, b);
    const bool copies = n > 1 && !transpose_b;
    for (; batch > 0; --batch, a += m * k, b += k * n, c += m * n) {
      if (copies) turn<2, most_turned>(n, k, b, workspace);
      const T* const columns = copies ? workspace : b;
      for (std::size_t row = 0; row < m; row += rows) {
        const std::size_t count = std::min<std::size_t>(rows, m - row);
        if (plan.across)
          run_across(count, n, k, alpha, a + row * k, columns, beta, c + row, m);
        else if (n > most_columns)
          run_turned(count, n, k, alpha, a + row * k, columns, beta, c + row * n);
        else
          run_columns<false>(n, count, k, alpha, a + row * k, columns, beta, c + row * n, 0);
      }
    }
  }

  // c, column by column, of a and of columns of b that follow one another.
  static void along(std::size_t m, std::size_t n, std::size_t k, T alpha, const A* a, const T* b,
                    T beta, T* c) {
    for (std::size_t row = 0; row < m; row += rows)
      run_across(std::min<std::size_t>(rows, m - row), n, k, alpha, a + row * k, b, beta, c + row,
                 m);
  }

 private:
  // A known number of columns takes half the time.
  template <int columns, int most>
  static void turn(std::size_t n, std::size_t k, const T* b, T* to) {
    if constexpr (columns < most)
      if (n > columns) return turn<columns + 1, most>(n, k, b, to);
    for (std::size_t p = 0; p < k; ++p)
      for (int j = 0; j < columns; ++j) to[j * k + p] = b[p * columns + j];
  }

  // Rows of c of more than most_columns, by way of its columns.
  static void run_turned(std::size_t count, std::size_t n, std::size_t k, T alpha, const A* a,
                         const T* b, T beta, T* c) {
    T columns[most_turned][rows];
    run_across(count, n, k, alpha, a, b, T(0), columns[0], rows);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        T& to = c[i * n + j];
        to = columns[j][i] + (beta == 0 ? T(0) : beta * to);
      }
  }

  // Columns of c are `column_stride` elements apart.
  static void run_across(std::size_t count, std::size_t n, std::size_t k, T alpha, const A* a,
                         const T* b, T beta, T* c, std::size_t column_stride) {
    // As many as there may be first: they make the most of the rows, which come from farther away.
    for (std::size_t columns; n > 0; n -= columns) {
      columns = std::min<std::size_t>(n, most_columns);
      run_columns<true>(columns, count, k, alpha, a, b, beta, c, column_stride);
      b += columns * k, c += columns * column_stride;
    }
  }

  template <bool across>
  static void run_columns(std::size_t columns, std::size_t count, std::size_t k, T alpha,
                          const A* a, const T* b, T beta, T* c, std::size_t column_stride) {
    if constexpr (most_columns > 1) {
      if (columns == 2) return run_rows<2, across>(count, k, alpha, a, b, beta, c, column_stride);
      if (columns == 3) return run_rows<3, across>(count, k, alpha, a, b, beta, c, column_stride);
    }
    run_rows<1, across>(count, k, alpha, a, b, beta, c, column_stride);
  }

  // The first `count` rows. c has rows of so many columns, or, `across`, columns `column_stride`
  // elements apart.
  template <int columns, bool across>
  static void run_rows(std::size_t count, std::size_t k, T alpha, const A* a, const T* b, T beta,
                       T* c, std::size_t column_stride) {
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
    for (int i = 0; i < rows; i += sums_at_once) {
      W totals[columns];
#pragma GCC unroll 3
      for (int j = 0; j < columns; ++j) totals[j] = broadcast<W>(alpha) * add_up(sums[j] + i);
      const bool whole = std::size_t(i + sums_at_once) <= count;
      if constexpr (columns == 2 && !across) {
        const W first = totals[0];
        totals[0] = interleave<0>(first, totals[1], Lanes());
        totals[1] = interleave<sums_at_once / 2>(first, totals[1], Lanes());
      }
      if (whole && (across || columns < 3)) {
#pragma GCC unroll 3
        for (int j = 0; j < columns; ++j) {
          T* const to = across ? c + j * column_stride + i : c + i * columns + j * sums_at_once;
          beta == 0 ? store(to, totals[j]) : add_to(to, totals[j], beta);
        }
        continue;
      }
      for (std::size_t at = i; at < std::min<std::size_t>(count, i + sums_at_once); ++at)
        for (int j = 0; j < columns; ++j) {
          T& to = across ? c[j * column_stride + at] : c[at * columns + j];
          const std::size_t lane = at - i, place = lane * 2 + j;
          const T total = columns == 2 && !across
                              ? totals[place / sums_at_once][place % sums_at_once]
                              : totals[j][lane];
          to = total + (beta == 0 ? T(0) : beta * to);
        }
    }
  }

  using W = Vector<T, sums_at_once * sizeof(T)>;
  using Lanes = std::make_integer_sequence<int, sums_at_once>;
  static constexpr int piece = 16 / sizeof(T);

  // Where lane `lane` of a sum of two vectors comes from, whose pieces hold groups of `group`
  // elements for each row; of each group the first half, or the `second`.
  static constexpr int source(int group, bool second, int lane) {
    const int of_piece = piece / group, row = lane % piece / (group / 2);
    return (row < of_piece ? 0 : sums_at_once) + lane / piece * piece + row % of_piece * group +
           lane % (group / 2) + (second ? group / 2 : 0);
  }
  template <int group, int... lane>
  [[gnu::always_inline]] static W add_halves(W x, W y, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(x, y, source(group, false, lane)...) +
           __builtin_shufflevector(x, y, source(group, true, lane)...);
  }
  template <int... lane>
  [[gnu::always_inline]] static W add_pieces(W x, W y, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(x, y, (lane % piece + lane / piece * sums_at_once)...) +
           __builtin_shufflevector(x, y, (lane % piece + lane / piece * sums_at_once + piece)...);
  }
  template <int first, int... lane>
  [[gnu::always_inline]] static W interleave(W x, W y, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(x, y, (first + lane / 2 + lane % 2 * sums_at_once)...);
  }
  template <int first, int... lane>
  [[gnu::always_inline]] static W part(V v, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(v, v, (first + lane)...);
  }

  // The sums of the elements of each of `sums_at_once` vectors.
  [[gnu::always_inline]] static W add_up(const V* of) {
    W all[sums_at_once];
#pragma GCC unroll 8
    for (int i = 0; i < sums_at_once; ++i) {
      if constexpr (lanes > sums_at_once)
        all[i] = part<0>(of[i], Lanes()) + part<sums_at_once>(of[i], Lanes());
      else
        all[i] = of[i];
    }
    int count = sums_at_once / 2;
    if constexpr (piece == 4) {
#pragma GCC unroll 4
      for (int i = 0; i < count; ++i) all[i] = add_halves<4>(all[2 * i], all[2 * i + 1], Lanes());
      count /= 2;
    }
#pragma GCC unroll 2
    for (int i = 0; i < count; ++i) all[i] = add_halves<2>(all[2 * i], all[2 * i + 1], Lanes());
    if constexpr (sums_at_once > piece) all[0] = add_pieces(all[0], all[1], Lanes());
    return all[0];
  }
};

}  // namespace breakeven::serial
