// SPDX-License-Identifier: Apache-2.0
// Compiled for AVX-512.
#include <immintrin.h>

#include "plugins/serial/kernels/targets.hpp"
#include "plugins/serial/kernels/variant.hpp"
#include "plugins/serial/kernels/variants.hpp"

namespace breakeven::serial {

namespace {

struct Streaming : Avx512 {
  static void stream(float* to, Vector<float, bytes> v) { _mm512_stream_ps(to, v); }
  static void stream(double* to, Vector<double, bytes> v) { _mm512_stream_pd(to, v); }
  static void finish_stream() { _mm_sfence(); }
};

struct F16Conversion {
  using Stored = Vector<std::uint16_t, 32>;
  using V = Vector<float, 64>;
  static constexpr __mmask16 all = 0xffff;  // without a mask GCC 12 warns of its own header
  [[gnu::always_inline]] static V widen(Stored stored) {
    return V(_mm512_maskz_cvtph_ps(all, __m256i(stored)));
  }
  [[gnu::always_inline]] static Stored narrow(V value) {
    return Stored(_mm512_maskz_cvtps_ph(all, value, _MM_FROUND_TO_NEAREST_INT));
  }
};

bool usable() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

}  // namespace

const Variant avx512 = variant_of<Avx512, Streaming, F16Conversion>("avx512", &usable);

}  // namespace breakeven::serial
