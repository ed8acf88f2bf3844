// SPDX-License-Identifier: Apache-2.0
#include "fma_peak.hpp"

namespace breakeven {

namespace {

// Ten chains hide the latency of two units with four or five cycles each; all fit the 16 registers
// of AVX2.
constexpr std::size_t chains = 10;

template <class T, int bytes>
[[gnu::always_inline]] inline double run(std::size_t steps) {
  using Vector [[gnu::vector_size(bytes)]] = T;
  constexpr std::size_t lanes = bytes / sizeof(T);
  Vector sums[chains] = {}, factor = {}, term = {};
  factor += T(0.999), term += T(0.001);
  for (std::size_t i = 0; i < chains; ++i) sums[i] += T(i);  // equal chains would become one
  for (std::size_t step = 0; step < steps; ++step)
    for (std::size_t i = 0; i < chains; ++i) sums[i] = sums[i] * factor + term;
  Vector total = {};
  for (std::size_t i = 0; i < chains; ++i) total += sums[i];
  volatile T seen = total[0];  // so that the loop is worth its while
  static_cast<void>(seen);
  return 2.0 * double(lanes * chains) * double(steps);
}

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx512f")]] double run_avx512(std::size_t steps) {
  return run<T, 64>(steps);
}
template <class T>
[[gnu::target("avx2,fma")]] double run_avx2(std::size_t steps) {
  return run<T, 32>(steps);
}
#endif

template <class T>
double run_widest(std::size_t steps) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return run_avx512<T>(steps);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return run_avx2<T>(steps);
#endif
  return run<T, 16>(steps);
}

}  // namespace

double run_fma_f32(std::size_t steps) {
  return run_widest<float>(steps);
}
double run_fma_f64(std::size_t steps) {
  return run_widest<double>(steps);
}

}  // namespace breakeven
