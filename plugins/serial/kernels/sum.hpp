// SPDX-License-Identifier: Apache-2.0
// A sum of numbers, in double and in several vectors: for f32 exact up to its last rounding, unless
// nearly all of it cancels.
#pragma once

#include "plugins/serial/kernels/vector.hpp"

namespace breakeven::serial {

template <class Target, class T>
struct SumOf {
  using Wide = Vector<double, Target::bytes>;
  static constexpr std::size_t lanes = sizeof(Wide) / sizeof(double);
  using V = Vector<T, lanes * sizeof(T)>;
  static constexpr std::size_t chains = 8;          // hide the latency of the additions
  static constexpr std::size_t bytes_ahead = 8192;  // as for norms

  static T run(std::size_t n, const T* x) { return T(in_double(n, x)); }

  static double in_double(std::size_t n, const T* x) {
    Wide sums[chains] = {};
    std::size_t i = 0;
    for (; i + chains * lanes <= n; i += chains * lanes) {
#pragma GCC unroll 8
      for (std::size_t j = 0; j < chains; ++j) {
        __builtin_prefetch(x + i + j * lanes + bytes_ahead / sizeof(T));
        sums[j] += __builtin_convertvector(load<V>(x + i + j * lanes), Wide);
      }
    }
    double rest = 0;
    for (; i < n; ++i) rest += double(x[i]);
    for (std::size_t width = chains / 2; width > 0; width /= 2)
      for (std::size_t j = 0; j < width; ++j) sums[j] += sums[j + width];
    for (std::size_t lane = 0; lane < lanes; ++lane) rest += sums[0][lane];
    return rest;
  }
};

}  // namespace breakeven::serial
