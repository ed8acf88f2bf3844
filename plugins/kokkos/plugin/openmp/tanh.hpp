// SPDX-License-Identifier: Apache-2.0
// tanh in vectors: that of Kokkos is the C library's, a number at a time.
#pragma once

#include "plugins/cpu_common/tanh.hpp"
#include "vector_bytes.hpp"

namespace breakeven::kokkos {

// Of whole vectors.
template <class T, std::size_t count>
[[gnu::always_inline]] inline void tanh_in_vectors(const T (&x)[count], T (&result)[count]) {
  constexpr std::size_t lanes = vector_bytes / sizeof(T);
  static_assert(count % lanes == 0);
  using V = cpu::Vector<T, vector_bytes>;
  for (std::size_t i = 0; i < count; i += lanes)
    cpu::store(result + i, cpu::tanh_of<V, T>(cpu::load<V>(x + i)));
}

}  // namespace breakeven::kokkos
