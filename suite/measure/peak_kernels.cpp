// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/peak_kernels.hpp"

#include "suite/measure/peak_loops.hpp"
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

namespace breakeven {

#if defined(__aarch64__)
extern const PeakKernels peaks_of_sve256, peaks_of_sve512;
#endif

namespace {

#if defined(__aarch64__)
constexpr PeakKernels plain = PeakLoops<16>::named("neon");
#else
constexpr PeakKernels plain = PeakLoops<16>::named("plain");
#endif

#if defined(__x86_64__)

[[gnu::target("avx2,fma")]] double avx2_f32(std::size_t rounds, double a, double b) {
  return fma_chains<float, 32>(rounds, a, b, std::make_index_sequence<chains>{});
}
[[gnu::target("avx2,fma")]] double avx2_f64(std::size_t rounds, double a, double b) {
  return fma_chains<double, 32>(rounds, a, b, std::make_index_sequence<chains>{});
}
[[gnu::target("avx2,fma")]] void avx2_triad(double* out, const double* a, const double* b,
                                            std::size_t n) {
  triad_of<32>(out, a, b, n);
}
[[gnu::target("avx2,fma")]] void avx2_triad_past_caches(double* out, const double* a,
                                                        const double* b, std::size_t n) {
  const __m256d factor = _mm256_set1_pd(3.0);
  for (std::size_t i = 0; i < n; i += 4) {
    _mm256_stream_pd(out + i,
                     _mm256_fmadd_pd(_mm256_load_pd(b + i), factor, _mm256_load_pd(a + i)));
  }
  _mm_sfence();
}
[[gnu::target("avx2,fma")]] double avx2_sum(const double* a, std::size_t n) {
  return sum_of<32>(a, n);
}

constexpr PeakKernels avx2{"avx2",
                           avx2_f32,
                           avx2_f64,
                           flops_per_round<float, 32>,
                           flops_per_round<double, 32>,
                           avx2_triad,
                           avx2_triad_past_caches,
                           avx2_sum};

[[gnu::target("avx512f")]] double avx512_f32(std::size_t rounds, double a, double b) {
  return fma_chains<float, 64>(rounds, a, b, std::make_index_sequence<chains>{});
}
[[gnu::target("avx512f")]] double avx512_f64(std::size_t rounds, double a, double b) {
  return fma_chains<double, 64>(rounds, a, b, std::make_index_sequence<chains>{});
}
[[gnu::target("avx512f")]] void avx512_triad(double* out, const double* a, const double* b,
                                             std::size_t n) {
  triad_of<64>(out, a, b, n);
}
[[gnu::target("avx512f")]] void avx512_triad_past_caches(double* out, const double* a,
                                                         const double* b, std::size_t n) {
  const __m512d factor = _mm512_set1_pd(3.0);
  for (std::size_t i = 0; i < n; i += 8) {
    _mm512_stream_pd(out + i,
                     _mm512_fmadd_pd(_mm512_load_pd(b + i), factor, _mm512_load_pd(a + i)));
  }
  _mm_sfence();
}
[[gnu::target("avx512f")]] double avx512_sum(const double* a, std::size_t n) {
  return sum_of<64>(a, n);
}

constexpr PeakKernels avx512{"avx512f",
                             avx512_f32,
                             avx512_f64,
                             flops_per_round<float, 64>,
                             flops_per_round<double, 64>,
                             avx512_triad,
                             avx512_triad_past_caches,
                             avx512_sum};

#endif

}  // namespace

const PeakKernels& widest_kernels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2;
#elif defined(__aarch64__)
  // Vectors of 16 bytes are no wider than those of NEON.
  const int bytes = getauxval(AT_HWCAP) & HWCAP_SVE ? prctl(PR_SVE_GET_VL) & PR_SVE_VL_LEN_MASK : 0;
  if (bytes == 64) return peaks_of_sve512;
  if (bytes == 32) return peaks_of_sve256;
#endif
  return plain;
}

}  // namespace breakeven
