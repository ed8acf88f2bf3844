// SPDX-License-Identifier: Apache-2.0
// Compiled for AVX2 with FMA.
#include <immintrin.h>

#include "plugins/serial/kernels/targets.hpp"
#include "plugins/serial/kernels/variant.hpp"
#include "plugins/serial/kernels/variants.hpp"

namespace breakeven::serial {

namespace {

struct Streaming : Avx2 {
  static void stream(float* to, Vector<float, bytes> v) { _mm256_stream_ps(to, v); }
  static void stream(double* to, Vector<double, bytes> v) { _mm256_stream_pd(to, v); }
  static void finish_stream() { _mm_sfence(); }
};

bool usable() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

}  // namespace

const Variant avx2 = variant_of<Avx2, Streaming>("avx2", &usable);

}  // namespace breakeven::serial
