// SPDX-License-Identifier: Apache-2.0
// The root of a sum of squares. Squares are summed in double, in several vectors: for f32 nothing
// can overflow or vanish before the end, and the error is that of the last rounding. For f64 a
// second pass with scaled elements follows where the plain sum left the range of doubles.
#pragma once

#include "plugins/serial/kernels/vector.hpp"

namespace breakeven::serial {

template <class Target, class T>
struct NormOf {
  using Sum = Vector<double, Target::bytes>;
  static constexpr std::size_t lanes = sizeof(Sum) / sizeof(double);
  using V = Vector<T, lanes * sizeof(T)>;
  static constexpr std::size_t chains = 8;  // hide the latency of the additions
  // So far ahead memory is asked for: the conversions leave the processor too little room to look
  // ahead itself (f32 beyond the caches: 37 GB/s without, 45 with, as for a sum).
  static constexpr std::size_t bytes_ahead = 8192;

  static T run(std::size_t n, const T* x) {
    const double sum = sum_of_squares(n, x, T(1));
    if constexpr (sizeof(T) == sizeof(double)) {
      // Below, squares lost digits to the smallest normal number; above, they overflowed.
      if (!(sum >= 0x1p-960 && sum <= 0x1p1000)) return scaled(n, x, sum);
    }
    return T(__builtin_sqrt(sum));
  }

  // Of x[i] · scale.
  static double sum_of_squares(std::size_t n, const T* x, T scale) {
    Sum sums[chains] = {};
    const V factor = broadcast<V>(scale);
    std::size_t i = 0;
    for (; i + chains * lanes <= n; i += chains * lanes) {
#pragma GCC unroll 8
      for (std::size_t j = 0; j < chains; ++j) {
        __builtin_prefetch(x + i + j * lanes + bytes_ahead / sizeof(T));
        const Sum v = __builtin_convertvector(load<V>(x + i + j * lanes) * factor, Sum);
        sums[j] += v * v;
      }
    }
    double rest = 0;
    for (; i < n; ++i) rest += double(x[i] * scale) * double(x[i] * scale);
    for (std::size_t width = chains / 2; width > 0; width /= 2)
      for (std::size_t j = 0; j < width; ++j) sums[j] += sums[j + width];
    for (std::size_t lane = 0; lane < lanes; ++lane) rest += sums[0][lane];
    return rest;
  }

 private:
  static T scaled(std::size_t n, const T* x, double sum) {
    T largest = 0;
    for (std::size_t i = 0; i < n; ++i)
      largest = __builtin_fabs(x[i]) > largest ? T(__builtin_fabs(x[i])) : largest;
    if (sum != sum || largest == 0 || largest > __DBL_MAX__) return T(sum);
    // Powers of two: exact. The smallest numbers have no representable inverse.
    const T scale = largest < 1 ? 0x1p600 : 0x1p-600;
    return T(__builtin_sqrt(sum_of_squares(n, x, scale)) / scale);
  }
};

}  // namespace breakeven::serial
