// SPDX-License-Identifier: Apache-2.0
// How long a vector is of the processor that this is compiled for.
#pragma once

#include "plugins/cpu_common/family.hpp"

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

// Vectors of 64 bytes before a second cache of 2 MB, which brings less at a time, and a third one
// that is far away, as of an Emerald Rapids.
inline bool is_intel() {
  return vector_bytes == 64 && cpu::is_intel();
}

}  // namespace breakeven::kokkos
