// SPDX-License-Identifier: Apache-2.0
// F16Format and Bf16Format, and sums of pairs of bf16, by the instructions of x86-64, for sources
// that are compiled for them. GCC 12 makes several of what is one to widen, and to narrow,
// integers.
#pragma once

#include <immintrin.h>

#include <algorithm>

#include "plugins/cpu_common/halves.hpp"

namespace breakeven::cpu {

template <int bytes>
struct F16Instructions;
template <int bytes>
struct Bf16Instructions;

#if defined(__AVX2__) && defined(__F16C__)
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

template <>
struct Bf16Instructions<32> : Bf16Format<32> {
  [[gnu::always_inline]] static V widen(Stored stored) {
    return V(Bits(_mm256_cvtepu16_epi32(__m128i(stored))) << 16);
  }
  [[gnu::always_inline]] static Stored narrow(V value) {
    const __m256i bits = __m256i(rounded(value)), twice = _mm256_packus_epi32(bits, bits);
    return Stored(_mm256_castsi256_si128(_mm256_permute4x64_epi64(twice, 0b1000)));
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

template <>
struct Bf16Instructions<64> : Bf16Format<64> {
  static constexpr __mmask16 all = 0xffff;
  [[gnu::always_inline]] static V widen(Stored stored) {
    return V(Bits(_mm512_maskz_cvtepu16_epi32(all, __m256i(stored))) << 16);
  }
  [[gnu::always_inline]] static Stored narrow(V value) {
    return Stored(_mm512_maskz_cvtepi32_epi16(all, __m512i(rounded(value))));
  }
};
#endif

#if defined(__AVX512BF16__)
// As Factors (dot_products.hpp), of pairs along k that one instruction multiplies and adds to a
// sum.
struct Bf16Pairs {
  using Row = Bf16;
  using Column = Bf16;
  using Number = float;
  using Sum = Vector<float, 64>;
  using Pairs = Vector<std::uint16_t, 64>;
  static constexpr std::size_t steps = 32;
  // Rows of c that are summed faster than a b that lies along k is turned round. The shorter the
  // sums, the more of their time it takes to add up their vectors.
  static constexpr std::size_t most_rows(std::size_t k) {
    return k < 16 * 48 ? std::min<std::size_t>(k / 8, 48) : std::min<std::size_t>(k / 16, 128);
  }

  [[gnu::always_inline]] static Pairs row(const Row* from) { return load<Pairs>(from); }
  [[gnu::always_inline]] static Pairs column(const Column* from) { return load<Pairs>(from); }
  [[gnu::always_inline]] static Sum add(Sum sum, Pairs row, Pairs column) {
    return Sum(_mm512_dpbf16_ps(__m512(sum), __m512bh(row), __m512bh(column)));
  }
  [[gnu::always_inline]] static Pairs zero_first(std::size_t count, Pairs factor) {
    const __mmask32 others = ~((__mmask32(1) << count) - 1);
    return Pairs(_mm512_maskz_mov_epi16(others, __m512i(factor)));
  }
};
#endif

}  // namespace breakeven::cpu
