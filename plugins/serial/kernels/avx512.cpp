// SPDX-License-Identifier: Apache-2.0
// Compiled for AVX-512.
#include <immintrin.h>

#include "plugins/cpu_common/x86_halves.hpp"
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

bool usable() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

}  // namespace

const Variant avx512 =
    variant_of<Avx512, Streaming, cpu::F16Instructions<64>, cpu::Bf16Instructions<64>>("avx512",
                                                                                       &usable);

}  // namespace breakeven::serial
