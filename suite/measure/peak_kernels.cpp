// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/peak_kernels.hpp"

#include <utility>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace breakeven {
namespace {

template <class Number, std::size_t bytes>
struct VectorOf {
  using type [[gnu::vector_size(bytes)]] = Number;
};
template <class Number, std::size_t bytes>
using Vector = typename VectorOf<Number, bytes>::type;

// Enough chains for two units with a latency of 5 cycles, and they fit into 16 registers.
constexpr std::size_t chains = 12;

template <class Number, std::size_t bytes>
constexpr double flops_per_round = 2.0 * chains* bytes / sizeof(Number);

// The templates are inlined into functions that allow the instructions; the compiler contracts
// x a + b to one instruction where there is one.
template <class Number, std::size_t bytes, std::size_t... i>
[[gnu::always_inline]] inline double fma_chains(std::size_t rounds, double a, double b,
                                                std::index_sequence<i...>) {
  using V = Vector<Number, bytes>;
  const V factor = V{} + static_cast<Number>(a);
  const V summand = V{} + static_cast<Number>(b);
  V x[chains] = {(V{} + static_cast<Number>(i))...};
  for (std::size_t round = 0; round < rounds; ++round) ((x[i] = x[i] * factor + summand), ...);
  V total{};
  ((total += x[i]), ...);
  return total[0];
}

template <std::size_t bytes>
[[gnu::always_inline]] inline void triad_of(double* out, const double* a, const double* b,
                                            std::size_t n) {
  using V = Vector<double, bytes>;
  constexpr std::size_t lanes = bytes / sizeof(double);
  for (std::size_t i = 0; i < n; i += lanes) {
    *reinterpret_cast<V*>(out + i) =
        *reinterpret_cast<const V*>(a + i) + *reinterpret_cast<const V*>(b + i) * 3.0;
  }
}

template <std::size_t bytes>
[[gnu::always_inline]] inline double sum_of(const double* a, std::size_t n) {
  using V = Vector<double, bytes>;
  constexpr std::size_t lanes = bytes / sizeof(double);
  const V* vectors = reinterpret_cast<const V*>(a);
  V x0{}, x1{}, x2{}, x3{};
  std::size_t i = 0;
  for (const std::size_t count = n / lanes; i + 4 <= count; i += 4) {
    x0 += vectors[i];
    x1 += vectors[i + 1];
    x2 += vectors[i + 2];
    x3 += vectors[i + 3];
  }
  for (; i < n / lanes; ++i) x0 += vectors[i];
  x0 += x1 + x2 + x3;
  double result = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) result += x0[lane];
  return result;
}

double plain_f32(std::size_t rounds, double a, double b) {
  return fma_chains<float, 16>(rounds, a, b, std::make_index_sequence<chains>{});
}
double plain_f64(std::size_t rounds, double a, double b) {
  return fma_chains<double, 16>(rounds, a, b, std::make_index_sequence<chains>{});
}
void plain_triad(double* out, const double* a, const double* b, std::size_t n) {
  triad_of<16>(out, a, b, n);
}
double plain_sum(const double* a, std::size_t n) {
  return sum_of<16>(a, n);
}

constexpr PeakKernels plain{
    "plain",     plain_f32, plain_f64, flops_per_round<float, 16>, flops_per_round<double, 16>,
    plain_triad, nullptr,   plain_sum};

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
#endif
  return plain;
}

}  // namespace breakeven
