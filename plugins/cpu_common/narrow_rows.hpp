// SPDX-License-Identifier: Apache-2.0
// A product with a row, or a few, of few columns. To multiply a row of b at a time would leave most
// of a vector empty, or wait for one sum: so b is read as it lies, from end to end, and what
// belongs to one column is added up at the end.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "plugins/cpu_common/vector.hpp"

namespace breakeven::cpu {

template <class Target, class T, int bytes>
class NarrowRows {
  using V = Vector<T, bytes>;
  static constexpr std::size_t lanes = bytes / sizeof(T);
  using Run = void (*)(std::size_t m, std::size_t k, T alpha, const T* a, std::size_t row_a,
                       const T* b, T beta, T* c);

 public:
  // Of columns, 2 and more, and of steps.
  static constexpr std::size_t most_columns = std::max<std::size_t>(lanes, 8), least_steps = lanes;

  static bool may_be(std::size_t m, std::size_t n, std::size_t k) {
    return m <= 8 && n > 1 && n <= most_columns && k >= least_steps;
  }
  // Whether they are made so faster than by tiles or as sums of columns that are turned round:
  // few steps do not make up for what it takes to add up what belongs to one column. Measured on
  // a Zen 4, with AVX-512 and AVX2.
  static bool are_better(std::size_t m, std::size_t n, std::size_t k) {
    return (m == 1 || (m == 2 && n <= 8)) && k >= 64;
  }

 private:
  // In the place of each element of vector number `vector` of the rows of b of as many steps as a
  // has elements in `steps`: the one it is multiplied with.
  template <std::size_t n, std::size_t vector, std::size_t... lane>
  [[gnu::always_inline]] static V spread(V steps, std::index_sequence<lane...>) {
    return __builtin_shufflevector(steps, steps, int((vector * lanes + lane) / n)...);
  }

  // Adds `lanes` steps, n vectors of b, each to a sum of its own. Of the first `done` steps both
  // factors are zero, since there may be NaN.
  template <std::size_t n, bool is_last, std::size_t... vector>
  [[gnu::always_inline]] static void add(const T* a, const T* b, V* sums, std::size_t done,
                                         std::index_sequence<vector...>) {
    const auto but_done = [](V factor, std::size_t count) __attribute__((always_inline)) {
      return is_last ? but_first<T>(count, V{}, factor) : factor;
    };
    V steps = but_done(load<V>(a), done);
    keep_in_register(steps);
    ((sums[vector] +=
      spread<n, vector>(steps, std::make_index_sequence<lanes>()) *
      but_done(load<V>(b + vector * lanes), std::max(done * n, vector * lanes) - vector * lanes)),
     ...);
  }

  // Of more rows than one a part of b at a time, which stays in the first cache.
  template <std::size_t n>
  static void product(std::size_t m, std::size_t k, T alpha, const T* a, std::size_t row_a,
                      const T* b, T beta, T* c) {
    constexpr std::size_t most = (16 << 10) / sizeof(T) / n;
    const std::size_t parts = m == 1 ? 1 : (k - 1) / most + 1;
    for (std::size_t part = 0, p = 0, end; part < parts; ++part, p = end, beta = 1) {
      end = (part + 1) * k / parts;
      for (std::size_t i = 0; i < m; ++i)
        row<n>(end - p, alpha, a + i * row_a + p, b + p * n, beta, c + i * n);
    }
  }

  template <std::size_t n>
  static void row(std::size_t k, T alpha, const T* a, const T* b, T beta, T* c) {
    using Vectors = std::make_index_sequence<n>;
    constexpr std::size_t at_once = n < 8 ? 8 / n : 1;  // so that no sum waits for itself
    V sums[at_once * n] = {};
    std::size_t p = 0;
    for (; p + at_once * lanes <= k; p += at_once * lanes)
#pragma GCC unroll 4
      for (std::size_t i = 0; i < at_once; ++i)
        add<n, false>(a + p + i * lanes, b + (p + i * lanes) * n, sums + i * n, 0, Vectors());
    for (; p + lanes <= k; p += lanes) add<n, false>(a + p, b + p * n, sums, 0, Vectors());
    if (p < k) {
      const std::size_t last = k - lanes;
      add<n, true>(a + last, b + last * n, sums, p - last, Vectors());
    }
    T totals[n];
    add_up<n, at_once * n>(sums, totals);
    for (std::size_t j = 0; j < n; ++j) c[j] = alpha * totals[j] + (beta == 0 ? T(0) : beta * c[j]);
  }

  // Sums of `count` vectors whose elements are those of columns over and over.
  template <std::size_t n, std::size_t count>
  [[gnu::always_inline]] static void add_up(V* sums, T* totals) {
    if constexpr (count % 2 == 0 && count / 2 * lanes % n == 0) {
#pragma GCC unroll 8
      for (std::size_t i = 0; i < count / 2; ++i) sums[i] += sums[count / 2 + i];
      add_up<n, count / 2>(sums, totals);
    } else if constexpr (count == 1) {
      add_halves<n>(sums[0], totals);
    } else {
      T all[count * lanes];
      for (std::size_t i = 0; i < count; ++i) store(all + i * lanes, sums[i]);
      for (std::size_t j = 0; j < n; ++j) totals[j] = 0;
      for (std::size_t i = 0; i < count * lanes; i += n)
        for (std::size_t j = 0; j < n; ++j) totals[j] += all[i + j];
    }
  }
  template <std::size_t n, class W>
  [[gnu::always_inline]] static void add_halves(W sums, T* totals) {
    constexpr std::size_t half = sizeof(W) / sizeof(T) / 2;
    if constexpr (2 * half == n)
      store(totals, sums);
    else
      [&]<std::size_t... lane>(std::index_sequence<lane...>) __attribute__((always_inline)) {
        add_halves<n>(__builtin_shufflevector(sums, sums, int(lane)...) +
                          __builtin_shufflevector(sums, sums, int(half + lane)...),
                      totals);
      }
    (std::make_index_sequence<half>());
  }

 public:
  // [n - 2]: c = alpha a b + beta c of m rows, those of a `row_a` elements apart, which is not read
  // for beta = 0.
  static constexpr auto of_columns = []<std::size_t... i>(std::index_sequence<i...>) {
    return std::array<Run, sizeof...(i)>{&product<i + 2>...};
  }
  (std::make_index_sequence<most_columns - 1>());
};

}  // namespace breakeven::cpu
