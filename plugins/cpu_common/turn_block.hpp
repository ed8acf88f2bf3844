// SPDX-License-Identifier: Apache-2.0
// Square blocks turned round in vector registers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "plugins/cpu_common/vector.hpp"

namespace breakeven::cpu {

// Exchanges the lanes of x whose number has the bit `distance` with those of y that lack it. Done
// for all rows i and i + distance, and for the distances 1, 2, 4 and so on, it makes rows columns.
template <int distance, class V, int... lane>
[[gnu::always_inline]] inline void exchange_lanes(V& x, V& y, std::integer_sequence<int, lane...>) {
  constexpr int lanes = sizeof...(lane);
  const V first =
      __builtin_shufflevector(x, y, (lane & distance ? lanes + lane - distance : lane)...);
  y = __builtin_shufflevector(x, y, (lane & distance ? lanes + lane : lane + distance)...);
  x = first;
}

template <int distance, class V, int lanes>
[[gnu::always_inline]] inline void turn_rows(V (&rows)[lanes]) {
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i)
    if ((i & distance) == 0)
      exchange_lanes<distance>(rows[i], rows[i + distance],
                               std::make_integer_sequence<int, lanes>());
  if constexpr (2 * distance < lanes) turn_rows<2 * distance>(rows);
}

// As many rows as a vector of `bytes` has elements: to[j * stride + i] = from[i][j].
template <std::size_t bytes, class T>
[[gnu::always_inline]] inline void turn_block(const T* const* from, std::size_t first, T* to,
                                              std::size_t stride) {
  constexpr int lanes = bytes / sizeof(T);
  using V = Vector<T, bytes>;
  V rows[lanes];
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i) rows[i] = load<V>(from[i] + first);
  turn_rows<1>(rows);
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i) store(to + std::size_t(i) * stride, rows[i]);
}

// Strips of so many columns and rows at once. The last block overlaps the one before.
template <std::size_t block, class T>
[[gnu::always_inline]] inline void turn_blocks(const T* const* from, std::size_t count,
                                               std::size_t steps, T* to, std::size_t stride) {
  for (std::size_t j = 0; j < count; j += block) {
    const T* at[block];
    for (std::size_t i = 0; i < block; ++i) at[i] = from[std::min(j + i, count - 1)];
    for (std::size_t p = 0; p < steps; p += block) {
      const std::size_t first = std::min(p, steps - block);
      turn_block<block * sizeof(T)>(at, first, to + first * stride + j, stride);
    }
  }
}

// The first `steps` elements of each of `count` columns, which are no more than a vector of `bytes`
// holds: to[p stride + j] = from[j][p]. What follows in a row, up to the end of a vector, may be
// overwritten.
template <std::size_t bytes, class T>
[[gnu::always_inline]] inline void turn_strip(const T* const* from, std::size_t count,
                                              std::size_t steps, T* to, std::size_t stride) {
  constexpr std::size_t lanes = bytes / sizeof(T), half = lanes / 2;
  if constexpr (half >= 4) {
    // Where half a vector takes half the time, two of them take no longer and fit better.
    const bool fit_better = sizeof(T) == 4 || (steps < 32 && steps % lanes != 0);
    const bool halves = bytes == 64 && fit_better && computes_halves();
    if (steps >= half && (halves || steps < lanes))
      return turn_blocks<half>(from, count, steps, to, stride);
  }
  if (steps >= lanes) return turn_blocks<lanes>(from, count, steps, to, stride);
  for (std::size_t p = 0; p < steps; ++p)
    for (std::size_t j = 0; j < count; ++j) to[p * stride + j] = from[j][p];
}

// Vector number `part` of the elements of so many rows, taken column by column.
template <int rows, int part, class V, int... lane>
[[gnu::always_inline]] inline V interleaved(const V (&from)[rows],
                                            std::integer_sequence<int, lane...>) {
  constexpr int lanes = sizeof...(lane), first = part * lanes;
  const auto with_row = [&]<int row>(const V& others, std::integral_constant<int, row>)
      __attribute__((always_inline)) {
    // Those of row 0 come along with row 1.
    return __builtin_shufflevector(others, from[row],
                                   ((first + lane) % rows == row ? lanes + (first + lane) / rows
                                    : row == 1 && (first + lane) % rows == 0 ? (first + lane) / rows
                                                                             : lane)...);
  };
  const auto with_rows = [&]<int... row>(V made, std::integer_sequence<int, row...>)
      __attribute__((always_inline)) {
    ((made = with_row(made, std::integral_constant<int, row + 1>())), ...);
    return made;
  };
  return with_rows(from[0], std::make_integer_sequence<int, rows - 1>());
}

// to[j rows + i] = from[i stride + j], of at least a vector of columns. The last block overlaps the
// one before.
template <int rows, std::size_t bytes, class T>
[[gnu::always_inline]] inline void interleave(std::size_t columns, const T* from,
                                              std::size_t stride, T* to) {
  constexpr int lanes = bytes / sizeof(T);
  using V = Vector<T, bytes>;
  for (std::size_t j = 0; j < columns; j += lanes) {
    const std::size_t column = std::min(j, columns - lanes);
    V block[rows];
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) block[i] = load<V>(from + std::size_t(i) * stride + column);
    [&]<int... part>(std::integer_sequence<int, part...>) __attribute__((always_inline)) {
      (store(to + column * rows + part * lanes,
             interleaved<rows, part>(block, std::make_integer_sequence<int, lanes>())),
       ...);
    }
    (std::make_integer_sequence<int, rows>());
  }
}

// to[j to_stride + i] = from[i stride + j], by squares that overlap at the ends.
template <std::size_t block, class T>
[[gnu::always_inline]] inline void transpose_blocks(std::size_t rows, std::size_t columns,
                                                    const T* from, std::size_t stride, T* to,
                                                    std::size_t to_stride) {
  for (std::size_t j = 0; j < columns; j += block) {
    const std::size_t column = std::min(j, columns - block);
    for (std::size_t i = 0; i < rows; i += block) {
      const std::size_t row = std::min(i, rows - block);
      const T* lines[block];
      for (std::size_t l = 0; l < block; ++l) lines[l] = from + (row + l) * stride;
      turn_block<block * sizeof(T)>(lines, column, to + column * to_stride + row, to_stride);
    }
  }
}
template <std::size_t bytes, class T>
[[gnu::always_inline]] inline void transpose(std::size_t rows, std::size_t columns, const T* from,
                                             std::size_t stride, T* to, std::size_t to_stride) {
  if constexpr (bytes == 64)
    if (to_stride == rows && columns >= bytes / sizeof(T)) {
      if (rows == 2) return interleave<2, bytes>(columns, from, stride, to);
      if (rows == 3) return interleave<3, bytes>(columns, from, stride, to);
      if (rows == 4) return interleave<4, bytes>(columns, from, stride, to);
      if (rows == 5) return interleave<5, bytes>(columns, from, stride, to);
      if (rows == 6) return interleave<6, bytes>(columns, from, stride, to);
      if (rows == 7) return interleave<7, bytes>(columns, from, stride, to);
    }
  // Where a whole vector takes no longer than half of one.
  if constexpr (bytes == 64 && sizeof(T) == 4) {
    const auto fits = [](std::size_t n) { return n >= 16 && (n >= 48 || (n + 7) / 8 % 2 == 0); };
    if (fits(rows) && fits(columns) && !computes_halves())
      return transpose_blocks<16>(rows, columns, from, stride, to, to_stride);
  }
  if constexpr (bytes >= 8 * sizeof(T))
    if (rows >= 8 && columns >= 8)
      return transpose_blocks<8>(rows, columns, from, stride, to, to_stride);
  if constexpr (bytes >= 4 * sizeof(T))
    if (rows >= 4 && columns >= 4)
      return transpose_blocks<4>(rows, columns, from, stride, to, to_stride);
  const auto one_by_one = [=](auto i_end, auto j_end) __attribute__((always_inline)) {
    for (std::size_t i = 0; i < i_end; ++i)
      for (std::size_t j = 0; j < j_end; ++j) to[j * to_stride + i] = from[i * stride + j];
  };
  // A known number takes half the time.
  constexpr std::integral_constant<std::size_t, 1> one;
  constexpr std::integral_constant<std::size_t, 2> two;
  constexpr std::integral_constant<std::size_t, 3> three;
  if (columns == 1) return one_by_one(rows, one);
  if (columns == 2) return one_by_one(rows, two);
  if (columns == 3) return one_by_one(rows, three);
  if (rows == 2) return one_by_one(two, columns);
  if (rows == 3) return one_by_one(three, columns);
  one_by_one(rows, columns);
}

}  // namespace breakeven::cpu
