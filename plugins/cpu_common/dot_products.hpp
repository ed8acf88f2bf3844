// SPDX-License-Identifier: Apache-2.0
// Products of rows and columns that both lie along k: sums along k, which come out of their vectors
// several at a time. For few columns, or few rows of a b that is transposed, where a tile would be
// empty or take longer to prepare than to multiply.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "plugins/cpu_common/vector.hpp"

namespace breakeven::cpu {

// What is multiplied, a vector at a time: rows as `Format` reads them, columns as they are stored.
template <class T, int bytes, class Format = AsStored<T, bytes>>
struct Factors {
  using Row = typename Format::Element;
  using Column = T;
  using Number = T;  // of c
  using Sum = Vector<T, bytes>;
  static constexpr std::size_t steps = bytes / sizeof(T);

  [[gnu::always_inline]] static Sum row(const Row* from) { return Format::load(from); }
  [[gnu::always_inline]] static Sum column(const Column* from) { return load<Sum>(from); }
  [[gnu::always_inline]] static Sum add(Sum sum, Sum row, Sum column) { return sum + row * column; }
  // Zero in the first `count` places.
  [[gnu::always_inline]] static Sum zero_first(std::size_t count, Sum factor) {
    return but_first<T>(count, Sum{}, factor);
  }
};

// Row i lies at rows + i row_stride and column j at columns + j column_stride, each contiguous
// along k, which is at least Factors::steps; element (i, j) of c at c + i c_row + j c_column, of
// which one is 1. All are counted in elements.
template <class Row, class Column, class T>
struct DotOperands {
  std::size_t k;
  const Row* rows;
  std::size_t row_stride;
  const Column* columns;
  std::size_t column_stride;
  T* c;
  std::size_t c_row, c_column;
  T alpha, beta;
};

// Whether vectors of 32 bytes are better than of 64. On processors that compute 64 in two parts
// they are, since they reach over the end of a cache line less often; but two columns wait for the
// second or third cache to bring the rows, and whole lines come faster.
[[gnu::always_inline]] inline bool short_vectors_are_better(std::size_t m, std::size_t n,
                                                            std::size_t row_bytes,
                                                            const Family& rules) {
  const bool whole_lines = n == 2 && row_bytes % 64 == 0 && row_bytes >= 1024;
  return rules.zen4 && !(whole_lines && m * row_bytes <= (4 << 20));
}

// `Target` is the family of processors that this is compiled for: a type of its own for each, since
// all of it may be linked together, that says whether it has `many_registers`: 32 rather than 16.
template <class Target, class Factors>
class DotProducts {
  using Row = typename Factors::Row;
  using Column = typename Factors::Column;
  using T = typename Factors::Number;
  using V = typename Factors::Sum;
  static constexpr int most_rows = 8, lanes = sizeof(V) / sizeof(T);

 public:
  using Operands = DotOperands<Row, Column, T>;

  // c = alpha times `m` rows times `n` columns + beta c, which is not read for beta = 0.
  [[gnu::always_inline]] static void run(std::size_t m, std::size_t n, const Operands& of) {
    if (m == 0 || n == 0) return;
    const std::size_t slices = slices_of(m, n, of.k);
    if (slices == 1) return run_slice(m, n, of);
    Operands slice = of;
    for (std::size_t i = 0, p = 0; i < slices; ++i, p += slice.k, slice.beta = T(1)) {
      slice.k = (i + 1) * of.k / slices - p;
      slice.rows = of.rows + p, slice.columns = of.columns + p;
      run_slice(m, n, slice);
    }
  }

 private:
  // So that the rows of a block stay in the first cache while all columns pass by, if sums need not
  // be rounded between slices. A Zen 4 brings them from the second cache in time: there a few rows
  // and columns stay in that.
  [[gnu::always_inline]] static std::size_t slices_of(std::size_t m, std::size_t n, std::size_t k) {
    if (!std::is_floating_point_v<T>) return 1;
    constexpr std::size_t kilobyte = 1 << 10;
    const auto fitting = [](std::size_t bytes, std::size_t most, std::size_t slice) {
      return bytes <= most ? 1 : (bytes - 1) / slice + 1;
    };
    if (computes_halves()) {
      const std::size_t bytes = (std::min<std::size_t>(most_rows, m) + n) * k * sizeof(Row);
      return n > 4 && m <= 16 ? fitting(bytes, 768 * kilobyte, 384 * kilobyte) : 1;
    }
    const std::size_t bytes = most_rows * k * sizeof(Row);
    return n >= 8 && sizeof(V) == 64 ? fitting(bytes, 40 * kilobyte, 40 * kilobyte) : 1;
  }

  [[gnu::noinline]] static void run_slice(std::size_t m, std::size_t n, const Operands& of) {
    constexpr int most_columns = Target::many_registers ? 4 : 3;
    const std::size_t row_bytes = of.row_stride * sizeof(Row), last = m % most_rows;
    if (n == 1 && is_read_row_by_row(m, row_bytes)) return run_row_by_row(m, of);
    if (n == 1 && m <= 4) return run_few_rows(m, of);
    if (n > 1 && m == 2) return run_rows<2, 2, 3>(m, n, of);
    if (n > 1 && (m <= 3 || m == 5 || m == 6)) return run_rows<3, 2, most_columns>(m, n, of);
    if (n > 1 && (m == 4 || !Target::many_registers || few_rows_are_better(n, row_bytes)))
      return run_rows<4, 2, most_columns>(m, n, of);
    // The last ones by themselves, where eight would be made for a few.
    const std::size_t apart = m > most_rows && last > 0 && last <= 6 ? last : 0, others = m - apart;
    if (n == 1)  // enough sums that none waits for itself
      run_rows<most_rows, 1, 1>(others, n, of);
    else if constexpr (Target::many_registers)
      run_rows<most_rows, 1, 3>(others, n, of);
    if (apart == 0) return;
    Operands rest = of;
    rest.rows += others * of.row_stride, rest.c += others * of.c_row;
    run_slice(apart, n, rest);
  }

  // Four in place of eight: for groups of four columns, and on processors with 8 ways of first
  // cache for two of whole lines, and where rows that are pages apart push each other out.
  [[gnu::always_inline]] static bool few_rows_are_better(std::size_t n, std::size_t row_bytes) {
    constexpr bool whole_lines = sizeof(V) == 64 && sizeof(Row) == sizeof(T);
    if (n == 4) return true;
    return ((n == 2 && whole_lines) || (n >= 8 && row_bytes % 4096 == 0)) && computes_halves();
  }

  // Long enough to make up for the end of every row.
  [[gnu::always_inline]] static bool is_read_row_by_row(std::size_t m, std::size_t row_bytes) {
    return sizeof(V) == 64 && row_bytes >= 2500 && comes_from_third_cache(m * row_bytes);
  }

  // With one column.
  [[gnu::always_inline]] static void run_row_by_row(std::size_t m, const Operands& of) {
    constexpr std::size_t steps = Factors::steps, at_once = 4 * steps;
    constexpr std::size_t ahead = third_cache_bytes_ahead / sizeof(Row);
    const Row* row = of.rows;
    T* c = of.c;
    for (std::size_t i = 0; i < m; i += most_rows, c += most_rows * of.c_row) {
      const std::size_t count = std::min<std::size_t>(most_rows, m - i);
      V sums[1][most_rows] = {};
      for (std::size_t r = 0; r < count; ++r, row += of.row_stride) {
        V parts[4] = {};
        std::size_t p = 0;
        for (; p + at_once <= of.k; p += at_once)
#pragma GCC unroll 4
          for (std::size_t v = 0; v < 4; ++v) {
            __builtin_prefetch(row + p + v * steps + ahead);
            parts[v] = Factors::add(parts[v], Factors::row(row + p + v * steps),
                                    Factors::column(of.columns + p + v * steps));
          }
        for (; p + steps <= of.k; p += steps)
          parts[0] = Factors::add(parts[0], Factors::row(row + p), Factors::column(of.columns + p));
        if (p < of.k) {  // both factors of what is done are zero, since there may be NaN
          const std::size_t last = of.k - steps, done = p - last;
          parts[1] = Factors::add(parts[1], Factors::zero_first(done, Factors::row(row + last)),
                                  Factors::zero_first(done, Factors::column(of.columns + last)));
        }
        sums[0][r] = (parts[0] + parts[1]) + (parts[2] + parts[3]);
      }
      end_block(count, sums, c, of);
    }
  }

  // With one column: up to four rows, of each several sums, so that none waits for itself.
  [[gnu::always_inline]] static void run_few_rows(std::size_t m, const Operands& of) {
    if (m == 1)
      sum_rows<1, 8>(of);
    else if (m == 2)
      sum_rows<2, 4>(of);
    else if (m == 3)
      sum_rows<3, 2>(of);
    else
      sum_rows<4, 2>(of);
  }
  template <int rows, int parts>
  [[gnu::always_inline]] static void sum_rows(const Operands& of) {
    constexpr std::size_t steps = Factors::steps;
    V sums[parts][1][rows] = {};
    const auto step = [&](std::size_t p, int part, auto kept) __attribute__((always_inline)) {
      const auto column = kept(Factors::column(of.columns + p));
#pragma GCC unroll 4
      for (int i = 0; i < rows; ++i)
        sums[part][0][i] = Factors::add(
            sums[part][0][i], kept(Factors::row(of.rows + i * of.row_stride + p)), column);
    };
    const auto all = [](auto factor) { return factor; };
    std::size_t p = 0;
    for (; p + parts * steps <= of.k; p += parts * steps)
#pragma GCC unroll 8
      for (int part = 0; part < parts; ++part) step(p + part * steps, part, all);
    for (; p + steps <= of.k; p += steps) step(p, 0, all);
    if (p < of.k)  // both factors of what is done are zero, since there may be NaN
      step(
          of.k - steps, 1, [done = p - (of.k - steps)](auto factor) __attribute__((always_inline)) {
            return Factors::zero_first(done, factor);
          });
#pragma GCC unroll 4
    for (int distance = parts / 2; distance > 0; distance /= 2)
#pragma GCC unroll 4
      for (int part = 0; part < distance; ++part)
#pragma GCC unroll 4
        for (int i = 0; i < rows; ++i) sums[part][0][i] += sums[part + distance][0][i];
    end_block<rows, 1>(rows, sums[0], of.c, of);
  }

  // So many rows at once, with groups of `least` to `most` columns.
  template <int rows, int least, int most>
  [[gnu::always_inline]] static void run_rows(std::size_t m, std::size_t n, const Operands& of) {
    const Row* row = of.rows;
    T* c = of.c;
    for (std::size_t i = 0; i < m; i += rows, row += rows * of.row_stride, c += rows * of.c_row) {
      const std::size_t count = std::min<std::size_t>(rows, m - i);
      // As many columns as there may be first: they make the most of the rows, which come from
      // farther away.
      std::size_t columns;
      for (std::size_t j = 0; j < n; j += columns) {
        const Column* const column = of.columns + j * of.column_stride;
        columns = std::min<std::size_t>(most, n - j);
        if (n - j - columns == 1 && least > 1) --columns;
        run_columns<rows, least, most>(columns, count, row, column, c + j * of.c_column, of);
      }
    }
  }

  template <int rows, int least, int most>
  [[gnu::always_inline]] static void run_columns(std::size_t columns, std::size_t count,
                                                 const Row* row, const Column* column, T* c,
                                                 const Operands& of) {
    if constexpr (least < most)
      if (columns < most)
        return run_columns<rows, least, most - 1>(columns, count, row, column, c, of);
    run_block<rows, most>(count, row, column, c, of);
  }

  // The first `count` of so many rows.
  template <int rows, int columns>
  [[gnu::always_inline]] static void run_block(std::size_t count, const Row* first_row,
                                               const Column* column, T* c, const Operands& of) {
    const std::size_t k = of.k, column_stride = of.column_stride;
    // What the end needs waits in memory: GCC would keep it in a mask register, and what comes back
    // from there waits behind all sums.
    const Operands* end = &of;
    asm("" : "+m"(end), "+m"(c), "+m"(count));
    // There is always a row to read: then one loop does for every count.
    const Row* row[rows];
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i)
      row[i] = first_row + std::min<std::size_t>(i, count - 1) * of.row_stride;
    V sums[columns][rows] = {};
    const auto step = [&](std::size_t p, auto kept) __attribute__((always_inline)) {
      decltype(Factors::column(column)) right[columns];
#pragma GCC unroll 4
      for (int j = 0; j < columns; ++j) {
        auto factor = kept(Factors::column(column + j * column_stride + p));
        if constexpr (Target::many_registers && rows < 8) keep_in_register(factor);
        right[j] = factor;
      }
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i) {
        auto left = kept(Factors::row(row[i] + p));
        if constexpr (columns > 1) keep_in_register(left);
#pragma GCC unroll 4
        for (int j = 0; j < columns; ++j) sums[j][i] = Factors::add(sums[j][i], left, right[j]);
      }
    };
    std::size_t p = 0;
    for (; p + Factors::steps <= k; p += Factors::steps)
      step(p, [](auto factor) { return factor; });
    // Both factors of what is done are zero, since there may be NaN.
    if (p < k) {
      const std::size_t last = k - Factors::steps;
      step(
          last, [done = p - last](auto factor)
                    __attribute__((always_inline)) { return Factors::zero_first(done, factor); });
    }
    end_block(count, sums, c, *end);
  }

  template <int rows, int columns>
  [[gnu::always_inline]] static void end_block(std::size_t count, const V (&sums)[columns][rows],
                                               T* c, const Operands& of) {
    constexpr int groups = rows * columns / lanes;
    if constexpr (rows < 4)
      end_one_by_one<rows, columns>(count, sums, c, of);
    else if constexpr (sizeof(V) == 64 && rows * columns == groups * lanes && groups <= 2)
      end_in_groups<rows, columns, groups>(count, sums[0], c, of);
    else
      end_by_rows<rows, columns>(count, sums, c, of);
  }

  template <int rows, int columns>
  [[gnu::always_inline]] static void end_by_rows(std::size_t count, const V (&sums)[columns][rows],
                                                 T* c, const Operands& of) {
    constexpr int at_once = std::min<int>(rows, std::min<int>(sizeof(V), 32) / sizeof(T));
    using W = Vector<T, at_once * sizeof(T)>;
    const T alpha = of.alpha, beta = of.beta;
    const std::size_t c_row = of.c_row, c_column = of.c_column;
#pragma GCC unroll 8
    for (int i = 0; i < rows; i += at_once, c += at_once * c_row) {
      W totals[columns];
#pragma GCC unroll 4
      for (int j = 0; j < columns; ++j)
        totals[j] = broadcast<W>(alpha) * Totals<at_once>::of(sums[j] + i);
      const bool whole = std::size_t(i) + at_once <= count;
      if (whole && c_row == 1) {
#pragma GCC unroll 4
        for (int j = 0; j < columns; ++j) put(c + j * c_column, totals[j], beta);
        continue;
      }
      if constexpr (columns > 1)
        if (whole && c_row == columns) {
          put_rows(c, totals, beta, std::make_integer_sequence<int, columns>());
          continue;
        }
      T all[columns][at_once];
      for (int j = 0; j < columns; ++j) store(all[j], totals[j]);
      for (std::size_t at = i; at < std::min<std::size_t>(count, i + at_once); ++at)
        for (int j = 0; j < columns; ++j) {
          T& to = c[(at - i) * c_row + j * c_column];
          to = all[j][at - i] + (beta == 0 ? T(0) : beta * to);
        }
    }
  }

  template <int rows, int columns>
  [[gnu::always_inline]] static void end_one_by_one(std::size_t count,
                                                    const V (&sums)[columns][rows], T* c,
                                                    const Operands& of) {
#pragma GCC unroll 4
    for (int i = 0; i < rows; ++i) {
      if (std::size_t(i) >= count) return;
#pragma GCC unroll 4
      for (int j = 0; j < columns; ++j) {
        T& to = c[i * of.c_row + j * of.c_column];
        to = of.alpha * total(sums[j][i]) + (of.beta == 0 ? T(0) : of.beta * to);
      }
    }
  }
  template <class X>
  [[gnu::always_inline]] static T total(X all) {
    if constexpr (sizeof(X) == 2 * sizeof(T))
      return all[0] + all[1];
    else
      return total(
          add_halves_of(all, std::make_integer_sequence<int, sizeof(X) / sizeof(T) / 2>()));
  }
  template <class X, int... lane>
  [[gnu::always_inline]] static auto add_halves_of(X all, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(all, all, lane...) +
           __builtin_shufflevector(all, all, (int(sizeof...(lane)) + lane)...);
  }

  // Where all sums fill whole vectors of totals: fewer instructions add them up than a few rows at
  // a time. Column by column.
  template <int rows, int columns, int groups>
  [[gnu::always_inline]] static void end_in_groups(std::size_t count, const V* sums, T* c,
                                                   const Operands& of) {
    const T alpha = of.alpha, beta = of.beta;
    const std::size_t c_row = of.c_row, c_column = of.c_column;
    V totals[2];
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i)
      totals[i] =
          i < groups ? broadcast<V>(alpha) * Totals<lanes>::of(sums + i * lanes) : totals[0];
    const bool whole = rows <= count;
    if (whole && c_row == 1)
      return put_columns<rows>(c, c_column, totals, beta,
                               std::make_integer_sequence<int, columns>());
    if (whole && c_row == columns)
      return put_rows_of<rows, columns>(c, totals, beta, std::make_integer_sequence<int, groups>());
    T all[2 * lanes];
    store(all, totals[0]), store(all + lanes, totals[1]);
    for (std::size_t i = 0; i < std::min<std::size_t>(count, rows); ++i)
      for (int j = 0; j < columns; ++j) {
        T& to = c[i * c_row + j * c_column];
        to = all[j * rows + i] + (beta == 0 ? T(0) : beta * to);
      }
  }
  template <int rows, int... column>
  [[gnu::always_inline]] static void put_columns(T* c, std::size_t c_column, const V (&totals)[2],
                                                 T beta, std::integer_sequence<int, column...>) {
    using Lanes = std::make_integer_sequence<int, rows>;
    (put(c + column * c_column, some<column * rows>(totals, Lanes()), beta), ...);
  }
  template <int rows, int columns, int... group>
  [[gnu::always_inline]] static void put_rows_of(T* c, const V (&totals)[2], T beta,
                                                 std::integer_sequence<int, group...>) {
    using Lanes = std::make_integer_sequence<int, lanes>;
    (put(c + group * lanes, turned<rows, columns, group * lanes>(totals, Lanes()), beta), ...);
  }
  // Totals number `first`, `first` + 1 …
  template <int first, int... lane>
  [[gnu::always_inline]] static Vector<T, int(sizeof...(lane) * sizeof(T))> some(
      const V (&totals)[2], std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(totals[0], totals[1], (first + lane)...);
  }
  // Elements number `first` … of rows of `columns`.
  template <int rows, int columns, int first, int... lane>
  [[gnu::always_inline]] static V turned(const V (&totals)[2],
                                         std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(totals[0], totals[1],
                                   ((first + lane) % columns * rows + (first + lane) / columns)...);
  }

  template <class W>
  [[gnu::always_inline]] static void put(T* c, W totals, T beta) {
    store(c, beta == 0 ? totals : totals + broadcast<W>(beta) * load<W>(c));
  }
  // Rows of as many columns, one behind the other.
  template <class W, int columns, int... vector>
  [[gnu::always_inline]] static void put_rows(T* c, const W (&totals)[columns], T beta,
                                              std::integer_sequence<int, vector...>) {
    constexpr int count = sizeof(W) / sizeof(T);
    using Lanes = std::make_integer_sequence<int, count>;
    (put(c + vector * count, elements<vector * count>(totals, Lanes()), beta), ...);
  }
  // Those from number `first` on, row by row.
  template <int first, class W, int columns, int... lane>
  [[gnu::always_inline]] static W elements(const W (&totals)[columns],
                                           std::integer_sequence<int, lane...>) {
    constexpr int count = sizeof...(lane);
    constexpr auto from = [](int column, int at, int other) {
      return (first + at) % columns == column ? count + (first + at) / columns : other;
    };
    W some =
        __builtin_shufflevector(totals[0], totals[1], from(1, lane, (first + lane) / columns)...);
    if constexpr (columns > 2)
      some = __builtin_shufflevector(some, totals[2], from(2, lane, lane)...);
    if constexpr (columns > 3)
      some = __builtin_shufflevector(some, totals[3], from(3, lane, lane)...);
    return some;
  }

  // The sums of the elements of each of `count` vectors, by instructions that stay within 16 bytes.
  template <int count>
  class Totals {
    using W = Vector<T, count * sizeof(T)>;
    using Lanes = std::make_integer_sequence<int, count>;
    static constexpr int piece = 16 / sizeof(T);

    // Where lane `lane` of a sum of two vectors comes from, whose pieces hold groups of `group`
    // elements for each row; of each group the first half, or the `second`.
    static constexpr int source(int group, bool second, int lane) {
      const int of_piece = piece / group, row = lane % piece / (group / 2);
      return (row < of_piece ? 0 : count) + lane / piece * piece + row % of_piece * group +
             lane % (group / 2) + (second ? group / 2 : 0);
    }
    template <int group, int... lane>
    [[gnu::always_inline]] static W add_halves(W x, W y, std::integer_sequence<int, lane...>) {
      return __builtin_shufflevector(x, y, source(group, false, lane)...) +
             __builtin_shufflevector(x, y, source(group, true, lane)...);
    }
    // Pieces 0, 2 … of two vectors and pieces 1, 3 …
    template <int... lane>
    [[gnu::always_inline]] static W add_pieces(W x, W y, std::integer_sequence<int, lane...>) {
      return __builtin_shufflevector(x, y, (lane % piece + lane / piece * 2 * piece)...) +
             __builtin_shufflevector(x, y, (lane % piece + (lane / piece * 2 + 1) * piece)...);
    }
    template <class X>
    [[gnu::always_inline]] static W folded(X all) {
      if constexpr (sizeof(X) == sizeof(W))
        return all;
      else
        return folded(
            add_halves_of(all, std::make_integer_sequence<int, sizeof(X) / sizeof(T) / 2>()));
    }

   public:
    [[gnu::always_inline]] static W of(const V* sums) {
      W all[count];
#pragma GCC unroll 16
      for (int i = 0; i < count; ++i) all[i] = folded(sums[i]);
      int left = count / 2;
      if constexpr (piece == 4) {
#pragma GCC unroll 8
        for (int i = 0; i < left; ++i) all[i] = add_halves<4>(all[2 * i], all[2 * i + 1], Lanes());
        left /= 2;
      }
#pragma GCC unroll 4
      for (int i = 0; i < left; ++i) all[i] = add_halves<2>(all[2 * i], all[2 * i + 1], Lanes());
#pragma GCC unroll 2
      for (left /= 2; left > 0; left /= 2)
#pragma GCC unroll 2
        for (int i = 0; i < left; ++i) all[i] = add_pieces(all[2 * i], all[2 * i + 1], Lanes());
      return all[0];
    }
  };
};

}  // namespace breakeven::cpu
