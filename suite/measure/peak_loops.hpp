// SPDX-License-Identifier: Apache-2.0
// The loops of peak_kernels.hpp for vectors of any length. A length belongs to one source, so that
// nothing is shared between those that are compiled for different processors.
#pragma once

#include <utility>

#include "suite/measure/peak_kernels.hpp"

namespace breakeven {

template <class Number, std::size_t bytes>
struct VectorOf {
  using type [[gnu::vector_size(bytes)]] = Number;
};
template <class Number, std::size_t bytes>
using Vector = typename VectorOf<Number, bytes>::type;

#if defined(__aarch64__)
// For four units with a latency of 4 cycles, and they fit into 32 registers.
constexpr std::size_t chains = 24;
#else
// Enough for two units with a latency of 5 cycles, and they fit into 16 registers.
constexpr std::size_t chains = 12;
#endif

template <class Number, std::size_t bytes>
constexpr double flops_per_round = 2.0 * chains* bytes / sizeof(Number);

// The templates are inlined into functions that allow the instructions; the compiler contracts
// x a + b to one instruction where there is one.
template <class Number, std::size_t bytes, std::size_t... i>
[[gnu::always_inline]] inline double fma_chains(std::size_t rounds, double a, double b,
                                                std::index_sequence<i...>) {
  using V = Vector<Number, bytes>;
  [[maybe_unused]] const V factor = V{} + static_cast<Number>(a);
  const V summand = V{} + static_cast<Number>(b);
  V x[chains] = {(V{} + static_cast<Number>(i))...};
  for (std::size_t round = 0; round < rounds; ++round) {
#if defined(__aarch64__)
    // The instruction adds to what it overwrites: a summand of its own would be copied every time.
    ((x[i] = x[i] * summand + x[i]), ...);
#else
    ((x[i] = x[i] * factor + summand), ...);
#endif
  }
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

// For what the whole source is compiled for.
template <std::size_t bytes>
struct PeakLoops {
  static double f32(std::size_t rounds, double a, double b) {
    return fma_chains<float, bytes>(rounds, a, b, std::make_index_sequence<chains>{});
  }
  static double f64(std::size_t rounds, double a, double b) {
    return fma_chains<double, bytes>(rounds, a, b, std::make_index_sequence<chains>{});
  }
  static void triad(double* out, const double* a, const double* b, std::size_t n) {
    triad_of<bytes>(out, a, b, n);
  }
  static double sum(const double* a, std::size_t n) { return sum_of<bytes>(a, n); }

  static constexpr PeakKernels named(std::string_view vectors) {
    return {vectors,
            f32,
            f64,
            flops_per_round<float, bytes>,
            flops_per_round<double, bytes>,
            nullptr,
            0,
            triad,
            nullptr,
            sum};
  }
};

}  // namespace breakeven
