// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/peak_kernels.hpp"

#include <bit>
#include <cstdint>

#include "suite/measure/peak_loops.hpp"
#if defined(__x86_64__)
#include <immintrin.h>

#include "suite/machine/x86_bf16.hpp"
#elif defined(__aarch64__)
#include <arm_neon.h>
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

// Of bf16: the number twice, cut off.
[[maybe_unused]] int pair_of(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16;
  return static_cast<int>(bits | bits << 16);
}

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

constexpr PeakKernels avx2{
    "avx2",  avx2_f32, avx2_f64,   flops_per_round<float, 32>, flops_per_round<double, 32>,
    nullptr, 0,        avx2_triad, avx2_triad_past_caches,     avx2_sum};

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

constexpr PeakKernels avx512{
    "avx512f", avx512_f32, avx512_f64,   flops_per_round<float, 64>, flops_per_round<double, 64>,
    nullptr,   0,          avx512_triad, avx512_triad_past_caches,   avx512_sum};

// With twelve a Zen 5 reaches 95 % of what it does with so many.
constexpr std::size_t bf16_chains = 24;
[[gnu::target("avx512f,avx512bf16")]] double avx512_bf16(std::size_t rounds, double a, double b) {
  const auto left = __m512bh(_mm512_set1_epi32(pair_of(a)));
  const auto right = __m512bh(_mm512_set1_epi32(pair_of(b)));
  __m512 x[bf16_chains];
  for (std::size_t i = 0; i < bf16_chains; ++i) x[i] = __m512{} + static_cast<float>(i);
  for (std::size_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 24
    for (__m512& sum : x) sum = _mm512_dpbf16_ps(sum, left, right);
  }
  __m512 total{};
  for (const __m512& sum : x) total += sum;
  return total[0];
}

// Four sums of 16 × 16, to each of which 16 × 16 × 32 products are added.
constexpr double amx_bf16_flops = 4 * 16 * 16 * 32 * 2.0;
double amx_bf16(std::size_t rounds, double a, double b) {
  alignas(64) int left[16][16], right[16][16];
  alignas(64) float sums[16][16];
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) left[i][j] = pair_of(a), right[i][j] = pair_of(b);
  AmxTiles::begin();
  AmxTiles::load<4>(left, sizeof left[0]);
  AmxTiles::load<5>(right, sizeof right[0]);
  AmxTiles::zero<0>();
  AmxTiles::zero<1>();
  AmxTiles::zero<2>();
  AmxTiles::zero<3>();
  for (std::size_t round = 0; round < rounds; ++round) {
    AmxTiles::multiply<0, 4, 5>();
    AmxTiles::multiply<1, 4, 5>();
    AmxTiles::multiply<2, 4, 5>();
    AmxTiles::multiply<3, 4, 5>();
  }
  AmxTiles::store<0>(sums, sizeof sums[0]);
  AmxTiles::end();
  return sums[0][0];
}

#elif defined(__aarch64__)

[[gnu::target("arch=armv8.2-a+bf16")]] double bfmmla(std::size_t rounds, double a, double b) {
  const auto left = vreinterpretq_bf16_s32(vdupq_n_s32(pair_of(a)));
  const auto right = vreinterpretq_bf16_s32(vdupq_n_s32(pair_of(b)));
  float32x4_t x[chains];
  for (std::size_t i = 0; i < chains; ++i) x[i] = float32x4_t{} + static_cast<float>(i);
  for (std::size_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 24
    for (float32x4_t& sum : x) sum = vbfmmlaq_f32(sum, left, right);
  }
  float32x4_t total{};
  for (const float32x4_t& sum : x) total += sum;
  return total[0];
}

#endif

const PeakKernels& widest_vectors() {
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

}  // namespace

const PeakKernels& widest_kernels() {
  static const PeakKernels found = [] {
    PeakKernels kernels = widest_vectors();
#if defined(__x86_64__)
    if (may_use_amx())
      kernels.fma_bf16 = amx_bf16, kernels.fma_bf16_flops = amx_bf16_flops;
    else if (__builtin_cpu_supports("avx512f") && vdpbf16ps_is_fast())
      kernels.fma_bf16 = avx512_bf16, kernels.fma_bf16_flops = bf16_chains * 16 * 2 * 2.0;
#elif defined(__aarch64__)
    if (getauxval(AT_HWCAP2) & HWCAP2_BF16)
      kernels.fma_bf16 = bfmmla, kernels.fma_bf16_flops = chains * 4 * 4 * 2.0;
#endif
    return kernels;
  }();
  return found;
}

}  // namespace breakeven
