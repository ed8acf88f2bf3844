// SPDX-License-Identifier: Apache-2.0
// Compiler vectors: what the kernels are written in. Everything here is inlined, because each
// family of processors compiles it with other instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "plugins/cpu_common/family.hpp"

namespace breakeven::cpu {

template <class T, std::size_t bytes>
struct VectorOf {
  typedef T type __attribute__((vector_size(bytes)));
};
template <class T, std::size_t bytes>
using Vector = typename VectorOf<T, bytes>::type;

template <class V, class T>
[[gnu::always_inline]] inline V load(const T* from) {
  V vector;
  __builtin_memcpy(&vector, from, sizeof vector);
  return vector;
}

template <class V, class T>
[[gnu::always_inline]] inline void store(T* to, V vector) {
  __builtin_memcpy(to, &vector, sizeof vector);
}

template <class V, class T>
[[gnu::always_inline]] inline V broadcast(T value) {
  return value - V{};  // keeps the sign of zero, and costs no subtraction
}

// Whether most of a matrix comes from memory, rather than from the third cache.
[[gnu::always_inline]] inline bool is_far(std::size_t bytes) {
  return bytes > (std::size_t(12) << 20);
}

// From the third cache a Zen 5, or another that computes whole vectors, reads a matrix fastest from
// end to end and asked for so far ahead, into the first cache: in 0.87 of the time of not asking.
// Into the second cache it takes 1.25 times as long. Less far where each row is added to a row of
// sums, which takes 0.98 of the time then.
inline constexpr std::size_t third_cache_bytes_ahead = 2048;
inline constexpr std::size_t third_cache_bytes_ahead_of_row = 1152;
[[gnu::always_inline]] inline bool comes_from_third_cache(std::size_t bytes) {
  return bytes > (std::size_t(3) << 19) && !is_far(bytes) && !computes_halves();
}

// Compilers repeat a load rather than keep what it loaded, if an instruction can hold it.
template <class V>
[[gnu::always_inline]] inline void keep_in_register(V& vector) {
#if defined(__x86_64__)
  asm("" : "+v"(vector));
#elif defined(__aarch64__)
  asm("" : "+w"(vector));
#endif
}

// `old` in the first `keep` lanes, `next` in the others.
template <class T, class V>
[[gnu::always_inline]] inline V but_first(std::size_t keep, V old, V next) {
  constexpr int lanes = sizeof(V) / sizeof(T);
  using Number = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  Vector<Number, sizeof(V)> lane;
  for (int i = 0; i < lanes; ++i) lane[i] = i;
  return lane < static_cast<Number>(keep) ? old : next;
}

// Elements that are stored as they are computed with; Widened (halves.hpp) reads others.
template <class T, int bytes>
struct AsStored {
  using Element = T;
  [[gnu::always_inline]] static Vector<T, bytes> load(const T* from) {
    return cpu::load<Vector<T, bytes>>(from);
  }
};

}  // namespace breakeven::cpu
