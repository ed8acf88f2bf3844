// SPDX-License-Identifier: Apache-2.0
// Stores that go around the caches: they save reading what is overwritten whole.
#pragma once

#include <cstddef>
#include <cstring>
#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace breakeven::kokkos {

// They win where the operands together do not fit the last cache. Measured with one of this size.
inline constexpr std::size_t past_caches_bytes = std::size_t{32} << 20;

// 64 bytes at a multiple of 64.
template <class Piece>
void store_past_caches(void* to, const Piece& piece) {
  static_assert(sizeof(Piece) == 64);
#if defined(__AVX512F__)
  __m512i vector;
  std::memcpy(&vector, &piece, sizeof vector);
  _mm512_stream_si512(static_cast<__m512i*>(to), vector);
#elif defined(__AVX__)
  __m256i vectors[2];
  std::memcpy(vectors, &piece, sizeof vectors);
  for (std::size_t i = 0; i < 2; ++i)
    _mm256_stream_si256(static_cast<__m256i*>(to) + i, vectors[i]);
#else
  std::memcpy(to, &piece, sizeof piece);
#endif
}

// After the last of them, before another thread is told of it.
inline void finish_stores_past_caches() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace breakeven::kokkos
