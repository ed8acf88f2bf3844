// SPDX-License-Identifier: Apache-2.0
// Compiler vectors: what the kernels are written in. Everything here is inlined, because each
// family of processors compiles it with other instructions.
#pragma once

#include <cstddef>

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

}  // namespace breakeven::cpu
