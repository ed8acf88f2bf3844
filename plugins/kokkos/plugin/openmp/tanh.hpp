// SPDX-License-Identifier: Apache-2.0
// tanh in vectors: that of Kokkos is the C library's, a number at a time.
#pragma once

#include <cstddef>

#include "plugins/cpu_common/tanh.hpp"

namespace breakeven::kokkos {

#if defined(__AVX512F__)
inline constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr std::size_t vector_bytes = 32;
#elif defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS > 0
inline constexpr std::size_t vector_bytes = __ARM_FEATURE_SVE_BITS / 8;
#else
inline constexpr std::size_t vector_bytes = 16;
#endif

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
