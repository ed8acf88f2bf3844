// SPDX-License-Identifier: Apache-2.0
// Compiled for AVX2 with FMA and F16C.
#include <cpuid.h>
#include <immintrin.h>

#include "plugins/cpu_common/x86_halves.hpp"
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
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  const bool f16c = __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_F16C);
  return f16c && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

}  // namespace

const Variant avx2 =
    variant_of<Avx2, Streaming, cpu::F16Instructions<32>, cpu::Bf16Instructions<32>>("avx2",
                                                                                     &usable);

}  // namespace breakeven::serial
