// SPDX-License-Identifier: Apache-2.0
// A product with one row, of a wide b that is larger than the first caches: b is read as it lies, a
// few whole rows at a time, each of them one after the other, as memory delivers fastest; one at a
// time, as the second and the third cache of a Zen 5 do.
#pragma once

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
    std::size_t p = 0;
    if constexpr (at_once == 1) {
      if (comes_from_third_cache(n * k * sizeof(B)))
        for (; p < k; ++p, beta = 1) add<1, true>(n, n, alpha, a + p, b + p * n, beta, c);
    }
    for (; p + at_once <= k; p += at_once, beta = 1)
      add<at_once>(n, n, alpha, a + p, b + p * n, beta, c);
    for (; p < k; ++p, beta = 1) add<1>(n, n, alpha, a + p, b + p * n, beta, c);
  }

  // The first n columns of such a product of `at_once` steps, whose rows of b are `stride` apart.
  static void columns(std::size_t n, std::size_t stride, T alpha, const T* a, const B* b, T beta,
                      T* c) {
    add<at_once>(n, stride, alpha, a, b, beta, c);
  }

 private:
  // For the next rows while these are multiplied: a quarter less time on a Zen 4 (AVX-512), a
  // quarter more on a Zen 3 (AVX2).
  static constexpr bool asks = at_once == 8 && Target::many_registers && bytes == 64;

  // c = alpha times so many rows of b, `stride` apart, each by its element of a, + beta c.
  template <int rows, bool from_third_cache = false>
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
        if constexpr (from_third_cache)
          __builtin_prefetch(b + j + third_cache_bytes_ahead_of_row / sizeof(B));
        if constexpr (asks)
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

}  // namespace breakeven::cpu
