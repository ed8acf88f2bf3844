// SPDX-License-Identifier: Apache-2.0
// The last few columns of c, no more than fill half of a vector: a vector of b then holds these
// columns for several steps of k at once, and its sums are folded together at the end.
#pragma once

#include <type_traits>
#include <utility>

#include "plugins/serial/kernels/narrow_tile.hpp"

namespace breakeven::serial {

// c = alpha a b + beta c for the first `count` of `columns` columns of one tile and the `panels` -
// 1 below it; b is packed by `pack_folded`.
template <class T>
using RunFoldTile = void (*)(std::size_t panels, std::size_t k, const T* a, std::size_t stride_a,
                             const T* b, T* c, std::size_t stride_c, T alpha, T beta,
                             std::size_t count);

// The elements of x and y by turns.
template <class X, int... lane>
[[gnu::always_inline]] inline auto by_turns(X x, X y, std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(x, y, (lane / 2 + lane % 2 * int(sizeof...(lane) / 2))...);
}

// `steps` rows of `columns` elements as one vector, in which the steps of a column lie together.
template <class T, std::size_t columns, std::size_t steps>
[[gnu::always_inline]] inline auto folded_rows(const T* b, std::size_t row) {
  if constexpr (steps == 1)
    return load<Vector<T, columns * sizeof(T)>>(b);
  else
    return by_turns(folded_rows<T, columns, steps / 2>(b, 2 * row),
                    folded_rows<T, columns, steps / 2>(b + row, 2 * row),
                    std::make_integer_sequence<int, int(columns * steps)>());
}

// A vector for every lanes / `columns` steps of k, the steps of a column side by side; those that
// are left over follow one another. Element (p, j) of b lies at b[p row + j column], j < `count`.
// Columns beyond hold anything.
template <class T, int bytes, std::size_t columns>
inline void pack_folded(std::size_t k, const T* b, std::size_t row, std::size_t column,
                        std::size_t count, T* to) {
  constexpr std::size_t lanes = bytes / sizeof(T), steps = lanes / columns;
  std::size_t p = 0;
  const auto put = [&](T * at, std::size_t distance) __attribute__((always_inline)) {
#pragma GCC unroll 8
    for (std::size_t j = 0; j < columns; ++j)
      at[j * distance] = j < count ? b[p * row + j * column] : T(0);
  };
  if constexpr (columns > 1) {
    if (column == 1)  // the last rows may end before `columns` elements do
      for (; (p + steps - 1) * row + columns <= (k - 1) * row + count; p += steps)
        store(to + p * columns, folded_rows<T, columns, steps>(b + p * row, row));
    for (const std::size_t whole = k / steps * steps; p < whole; ++p)
      put(to + p / steps * lanes + p % steps, steps);
  }
  for (; p < k; ++p) put(to + p * columns, 1);
}

// So many elements over and over.
template <class V, std::size_t count, class T>
[[gnu::always_inline]] inline V repeat(const T* from) {
  constexpr std::size_t bytes = count * sizeof(T);
  if constexpr (bytes == sizeof(V)) {
    return load<V>(from);
  } else if constexpr (count == 1) {
    return broadcast<V>(*from);
  } else if constexpr (bytes == 8) {
    std::uint64_t both;
    __builtin_memcpy(&both, from, sizeof both);
    return V(Vector<std::uint64_t, sizeof(V)>{} + both);
#if defined(__AVX__)
  } else if constexpr (sizeof(V) == 32 || (sizeof(V) == 64 && bytes <= 32)) {
    // Compilers would load and shuffle.
    const auto& part = *reinterpret_cast<const char(*)[bytes]>(from);
    V vector;
    if constexpr (sizeof(V) == 32)
      asm("vbroadcastf128 %1, %0" : "=x"(vector) : "m"(part));
    else if constexpr (bytes == 16)
      asm("vbroadcastf32x4 %1, %0" : "=v"(vector) : "m"(part));
    else
      asm("vbroadcastf64x4 %1, %0" : "=v"(vector) : "m"(part));
    return vector;
#endif
  } else {
    const auto part = load<Vector<T, bytes>>(from);
    return [&]<int... lane>(std::integer_sequence<int, lane...>) __attribute__((always_inline)) {
      return __builtin_shufflevector(part, part, (lane % int(count))...);
    }
    (std::make_integer_sequence<int, sizeof(V) / sizeof(T)>());
  }
}

template <std::size_t first, std::size_t end, std::size_t step>
[[gnu::always_inline]] inline void static_for(const auto& run) {
  if constexpr (first < end) {
    run.template operator()<first>();
    static_for<first + step, end, step>(run);
  }
}

template <class Target, class T, int bytes, int rows, int columns>
struct FoldTile {
  using V = Vector<T, bytes>;
  using Columns = std::conditional_t<columns == 1, T, Vector<T, columns * sizeof(T)>>;
  static constexpr std::size_t steps = bytes / sizeof(T) / columns;

  static void run(std::size_t panels, std::size_t k, const T* a, std::size_t stride_a, const T* b,
                  T* c, std::size_t stride_c, T alpha, T beta, std::size_t count) {
    for (; panels > 0; --panels, a += rows * stride_a, c += rows * stride_c) {
      // Else addresses of all rows are made before the first one, more than there are registers.
      asm("" : "+r"(k), "+r"(stride_a), "+r"(stride_c), "+r"(count));
      product(k, a, stride_a, b, c, stride_c, alpha, beta, count);
    }
  }

 private:
  // Neighbours of x, then of y, added to each other.
  template <int... lane>
  [[gnu::always_inline]] static V add_neighbours(V x, V y, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(x, y, (2 * lane)...) +
           __builtin_shufflevector(x, y, (2 * lane + 1)...);
  }

  // The sum of all lanes.
  template <class W>
  [[gnu::always_inline]] static T add_halves(W v) {
    constexpr int half = sizeof(W) / sizeof(T) / 2;
    if constexpr (half == 1) {
      return v[0] + v[1];
    } else {
      return [&]<int... lane>(std::integer_sequence<int, lane...>) __attribute__((always_inline)) {
        return add_halves(__builtin_shufflevector(v, v, lane...) +
                          __builtin_shufflevector(v, v, (half + lane)...));
      }
      (std::make_integer_sequence<int, half>());
    }
  }

  // Sums of `count` rows that each have as many partial ones a column: row by row.
  template <std::size_t count>
  [[gnu::always_inline]] static V fold(const V* sums, std::size_t left) {
    if constexpr (count == 1) {
      return *sums;
    } else {
      const V first = fold<count / 2>(sums, left);
      const V second =
          left > count / 2 ? fold<count / 2>(sums + count / 2, left - count / 2) : first;
      return add_neighbours(first, second,
                            std::make_integer_sequence<int, int(bytes / sizeof(T))>());
    }
  }

  [[gnu::always_inline]] static void product(std::size_t k, const T* a, std::size_t stride_a,
                                             const T* b, T* c, std::size_t stride_c, T alpha,
                                             T beta, std::size_t count) {
    V sums[rows] = {};
    cpu::RowPointers<T, rows> at_a(a, stride_a);
    std::size_t left = k;
    for (; left >= steps; left -= steps, b += steps * columns, at_a.advance(steps)) {
      const V loaded = load<V>(b);
#pragma GCC unroll 32
      for (int i = 0; i < rows; ++i) sums[i] += repeat<V, steps>(at_a.at(i)) * loaded;
    }
    Columns folded[rows];
    if constexpr (columns == 1)
      static_for<0, rows, 1>([&]<std::size_t row>() __attribute__((always_inline)) {
        folded[row] = add_halves(sums[row]);
      });
    else
      static_for<0, rows, steps>([&]<std::size_t i>() __attribute__((always_inline)) {
        const V some = fold<steps>(sums + i, rows - i);
        static_for<i, std::min<std::size_t>(i + steps, rows),
                   1>([&]<std::size_t row>() __attribute__((always_inline)) {
          __builtin_memcpy(&folded[row], reinterpret_cast<const T*>(&some) + (row - i) * columns,
                           sizeof(Columns));
        });
      });
    for (; left > 0; --left, b += columns, at_a.advance(1)) {
      const Columns loaded = load<Columns>(b);
#pragma GCC unroll 32
      for (int i = 0; i < rows; ++i) folded[i] += broadcast<Columns>(at_a[i]) * loaded;
    }
    if (alpha != 1) scale(folded, alpha);
#pragma GCC unroll 32
    for (int i = 0; i < rows; ++i) {
      T* const row = c + i * stride_c;
      if (count == columns) {
        beta == 0 ? store(row, folded[i]) : add_to(row, folded[i], beta);
      } else if constexpr (columns > 2) {
        const ShortRow<Target, Columns, T> short_row(count);
        short_row.store(row, beta == 0
                                 ? folded[i]
                                 : folded[i] + broadcast<Columns>(beta) * short_row.load(row));
      }
    }
  }
};

}  // namespace breakeven::serial
