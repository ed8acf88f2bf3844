// SPDX-License-Identifier: Apache-2.0
// Compiled for AVX2 with FMA: 16 registers of 32 bytes.
#include <immintrin.h>

#include "plugins/serial/kernels/variant.hpp"
#include "plugins/serial/kernels/variants.hpp"

namespace breakeven::serial {

namespace {

struct Target {
  static constexpr int bytes = 32, most_vectors = 3;
  static constexpr int most_rows(int vectors) { return vectors == 1 ? 12 : vectors == 2 ? 6 : 4; }

  static void stream(float* to, Vector<float, bytes> v) { _mm256_stream_ps(to, v); }
  static void stream(double* to, Vector<double, bytes> v) { _mm256_stream_pd(to, v); }
  static void finish_stream() { _mm_sfence(); }
};

bool usable() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

}  // namespace

const Variant avx2 = variant_of<Target>("avx2", &usable);

}  // namespace breakeven::serial
