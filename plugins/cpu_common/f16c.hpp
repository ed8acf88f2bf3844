// SPDX-License-Identifier: Apache-2.0
// F16Format by the instructions of x86-64, for sources that are compiled for them.
#pragma once

#include <immintrin.h>

#include "plugins/cpu_common/halves.hpp"

namespace breakeven::cpu {

template <int bytes>
struct F16Instructions;

#if defined(__F16C__)
template <>
struct F16Instructions<32> {
  using Stored = Vector<std::uint16_t, 16>;
  using V = Vector<float, 32>;
  [[gnu::always_inline]] static V widen(Stored stored) {
    return V(_mm256_cvtph_ps(__m128i(stored)));
  }
  [[gnu::always_inline]] static Stored narrow(V value) {
    return Stored(_mm256_cvtps_ph(__m256(value), _MM_FROUND_TO_NEAREST_INT));
  }
};
#endif

#if defined(__AVX512F__)
template <>
struct F16Instructions<64> {
  using Stored = Vector<std::uint16_t, 32>;
  using V = Vector<float, 64>;
  static constexpr __mmask16 all = 0xffff;  // without a mask GCC 12 warns of its own header
  [[gnu::always_inline]] static V widen(Stored stored) {
    return V(_mm512_maskz_cvtph_ps(all, __m256i(stored)));
  }
  [[gnu::always_inline]] static Stored narrow(V value) {
    return Stored(_mm512_maskz_cvtps_ph(all, __m512(value), _MM_FROUND_TO_NEAREST_INT));
  }
};
#endif

}  // namespace breakeven::cpu
