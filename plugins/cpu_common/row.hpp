// SPDX-License-Identifier: Apache-2.0
// A product with one row, of a wide b that is larger than the first caches: b is read as it lies, a
// few whole rows at a time, each of them one after the other, as memory delivers fastest; one at a
// time, as the second and the third cache of a Zen 5 do. And rows of a few steps, one by one.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "plugins/cpu_common/vector.hpp"

namespace breakeven::cpu {

// `at_once`: so many rows; 8 where b comes from memory. `Format` as AsStored, `Target` as
// DotProducts'.
template <class Target, class T, int bytes, int at_once, class Format = AsStored<T, bytes>>
class Row {
  using V = Vector<T, bytes>;
  using B = typename Format::Element;
  static constexpr std::size_t lanes = bytes / sizeof(T), line = 64 / sizeof(B);

 public:
  // c = alpha a b + beta c, which is not read for beta = 0. n is at least a vector.
  static void product(std::size_t n, std::size_t k, T alpha, const T* a, const B* b, T beta, T* c) {
    if constexpr (at_once == 1) {
      if (comes_from_third_cache(n * k * sizeof(B))) {
        for (std::size_t p = 0; p < k; ++p, beta = 1)
          add<1, Asks::for_this_row>(n, n, alpha, a + p, b + p * n, beta, c);
        return;
      }
    }
    product_of_columns(n, n, k, alpha, a, b, beta, c);
  }

  // The same of n columns of a b whose rows are `stride` long.
  static void product_of_columns(std::size_t n, std::size_t stride, std::size_t k, T alpha,
                                 const T* a, const B* b, T beta, T* c) {
    if constexpr (may_ask)
      if (stride * k * sizeof(B) > (std::size_t(16) << 20))
        return all_steps<Asks::for_next_rows>(n, stride, k, alpha, a, b, beta, c);
    all_steps<Asks::nothing>(n, stride, k, alpha, a, b, beta, c);
  }

  // So many columns at a time that their part of c and of the rows stay in a first cache of 32 KB.
  static void product_in_parts(std::size_t n, std::size_t stride, std::size_t k, T alpha,
                               const T* a, const B* b, T beta, T* c) {
    constexpr std::size_t most = 4096 / sizeof(T);
    for (std::size_t j = 0, columns; j < n; j += columns) {
      columns = n - j < most + lanes ? n - j : most;
      product_of_columns(columns, stride, k, alpha, a, b + j, beta, c + j);
    }
  }

  // The first n columns of such a product of `at_once` steps, whose rows of b are `stride` apart.
  static void columns(std::size_t n, std::size_t stride, T alpha, const T* a, const B* b, T beta,
                      T* c) {
    add<at_once, Asks::nothing>(n, stride, alpha, a, b, beta, c);
  }

 private:
  // For the next rows while these are multiplied, where b comes from memory: a quarter less time on
  // a Zen 4 (AVX-512), a quarter more on a Zen 3 (AVX2).
  enum class Asks { nothing, for_this_row, for_next_rows };
  static constexpr bool may_ask = at_once == 8 && Target::many_registers && bytes == 64;

  template <Asks asks>
  static void all_steps(std::size_t n, std::size_t stride, std::size_t k, T alpha, const T* a,
                        const B* b, T beta, T* c) {
    std::size_t p = 0;
    for (; p + at_once <= k; p += at_once, beta = 1)
      add<at_once, asks>(n, stride, alpha, a + p, b + p * stride, beta, c);
    for (; p < k; ++p, beta = 1) add<1, asks>(n, stride, alpha, a + p, b + p * stride, beta, c);
  }

  // c = alpha times so many rows of b, `stride` apart, each by its element of a, + beta c.
  template <int rows, Asks asks>
  static void add(std::size_t n, std::size_t stride, T alpha, const T* a, const B* b, T beta,
                  T* c) {
    V factors[rows];
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) factors[i] = broadcast<V>(a[i]);
    const auto sum_at = [&](std::size_t j) __attribute__((always_inline)) {
      V sum = factors[0] * Format::load(b + j);
#pragma GCC unroll 8
      for (int i = 1; i < rows; ++i) sum += factors[i] * Format::load(b + i * stride + j);
      return broadcast<V>(alpha) * sum;
    };
    const auto all_columns = [&](auto plus_old) __attribute__((always_inline)) {
      std::size_t j = 0;
      for (; j + line <= n; j += line) {
        if constexpr (asks == Asks::for_this_row)
          __builtin_prefetch(b + j + third_cache_bytes_ahead_of_row / sizeof(B));
        if constexpr (asks == Asks::for_next_rows)
          for (int i = 0; i < rows; ++i) __builtin_prefetch(b + (rows + i) * stride + j, 0, 2);
#pragma GCC unroll 4
        for (std::size_t v = 0; v < line; v += lanes)
          store(c + j + v, plus_old(sum_at(j + v), c + j + v));
      }
      for (; j + lanes <= n; j += lanes) store(c + j, plus_old(sum_at(j), c + j));
      if (j == n) return;
      T* const last = c + n - lanes;  // its first lanes are done
      store(last, but_first<T>(j - (n - lanes), load<V>(last), plus_old(sum_at(n - lanes), last)));
    };
    if (beta == 0)
      all_columns([](V sum, const T*) __attribute__((always_inline)) { return sum; });
    else
      all_columns([old = broadcast<V>(beta)](V sum, const T* at)
                      __attribute__((always_inline)) { return sum + old * load<V>(at); });
  }
};

// Whether a c that comes from memory is written from end to end, a tile's rows or two at a time,
// rather than all of its rows a tile at a time, because few steps make it. Measured with AVX2.
[[gnu::always_inline]] inline bool is_written_by_rows(std::size_t c_bytes, std::size_t k) {
  return k <= 64 && c_bytes > (std::size_t(k <= 24 ? 8 : 24) << 20);
}

// So few steps.
inline constexpr std::size_t most_steps_of_rows = 7;

// Whether long rows of so few steps are made faster one after the other than by tiles, up to
// several times as fast: where the first cache holds b, or some columns of it at a time, and the
// second one most of a c that the first one does not hold; of fewer steps where rows begin inside
// of cache lines. Measured on an Emerald Rapids and a Zen 4, where vectors of 32 bytes (AVX2) do so
// as well, on whatever processor.
[[gnu::always_inline]] inline bool are_made_row_by_row(std::size_t m, std::size_t n, std::size_t k,
                                                       std::size_t element, int vector_bytes,
                                                       const Family& rules) {
  const std::size_t row_bytes = n * element, b_bytes = k * row_bytes, c_bytes = m * row_bytes;
  const bool whole = row_bytes % 64 == 0, in_halves = rules.zen4 || vector_bytes == 32;
  if (k == 0 || k > most_steps_of_rows || c_bytes > (std::size_t(5) << 20)) return false;
  if (rules.intel && vector_bytes == 64)
    return m > 1 && (whole || k <= 4) && row_bytes >= (whole ? 1536 : 1792) &&
           b_bytes <= (24 << 10) && (m <= 12 || c_bytes >= (48 << 10));
  return in_halves && (whole ? row_bytes >= (k <= 3 ? 384 : 2560) : k <= 3 && row_bytes >= 1792);
}

// Such rows: c = alpha a b + beta c, where element (i, p) of a lies at i row_a + p step_a, and rows
// of b and c are n elements long. n is at least a vector.
template <class Target, class T, int bytes>
class Rows {
  using Run = void (*)(std::size_t m, std::size_t n, T alpha, const T* a, std::size_t row_a,
                       std::size_t step_a, const T* b, T beta, T* c);

  // As many columns of all rows at a time as have 12 KB of b, in a Zen 4's first cache of 32 KB.
  template <int steps>
  static void run(std::size_t m, std::size_t n, T alpha, const T* a, std::size_t row_a,
                  std::size_t step_a, const T* b, T beta, T* c) {
    constexpr std::size_t lanes = bytes / sizeof(T);
    const std::size_t most = is_intel() && bytes == 64 ? n : (12 << 10) / sizeof(T) / steps;
    const std::size_t blocks = (n - 1) / most + 1;
    const std::size_t each = ((n - 1) / blocks / lanes + 1) * lanes;
    for (std::size_t j = 0, columns; j < n; j += columns) {
      columns = n - j < each + lanes ? n - j : each;  // none fewer than a vector are left
      for (std::size_t i = 0; i < m; ++i) {
        T factors[steps];
        for (int p = 0; p < steps; ++p) factors[p] = a[i * row_a + p * step_a];
        Row<Target, T, bytes, steps>::columns(columns, n, alpha, factors, b + j, beta,
                                              c + i * n + j);
      }
    }
  }

 public:
  // [steps - 1]
  static constexpr auto of_steps = []<int... i>(std::integer_sequence<int, i...>) {
    return std::array<Run, sizeof...(i)>{&run<i + 1>...};
  }
  (std::make_integer_sequence<int, int(most_steps_of_rows)>());
};

}  // namespace breakeven::cpu
