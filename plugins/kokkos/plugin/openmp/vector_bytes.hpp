// SPDX-License-Identifier: Apache-2.0
// How long a vector is of the processor that this is compiled for.
#pragma once

#include "plugins/cpu_common/way.hpp"

namespace breakeven::kokkos {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
#elif defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS > 0
inline constexpr int vector_bytes = __ARM_FEATURE_SVE_BITS / 8;
#else
inline constexpr int vector_bytes = 16;
#endif
// SVE with vectors of 32 bytes has more registers, and was not measured.
#if defined(__AVX__) && !defined(__AVX512F__)
inline constexpr bool is_avx2 = true;
#else
inline constexpr bool is_avx2 = false;
#endif

// Vectors of 64 bytes before a second cache of 2 MB, which brings less at a time, and a third one
// that is far away, as of an Emerald Rapids, are what its rules are for.
inline bool is_intel(const cpu::Way& way) {
  return vector_bytes == 64 && way.rules.intel;
}
// And vectors that are computed in two halves those of a Zen 4.
inline bool computes_halves(const cpu::Way& way) {
  return vector_bytes == 64 && way.rules.zen4;
}
// Where the third cache brings less than is multiplied meanwhile: by a Zen 4, and with AVX2.
inline bool comes_late(const cpu::Way& way) {
  return is_avx2 || computes_halves(way);
}

}  // namespace breakeven::kokkos
