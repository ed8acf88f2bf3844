// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "plugins/serial/kernels/vector.hpp"

namespace breakeven::serial {

template <class Target, class T>
struct Elementwise {
  static T norm(std::size_t n, const T* x) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += double(x[i]) * double(x[i]);
    return T(std::sqrt(sum));
  }

  static void multiply_add(std::size_t n, const T* a, const T* b, const T* c, T* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = a[i] * b[i] + c[i];
  }

  static void tanh(std::size_t n, const T* x, T* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = std::tanh(x[i]);
  }

  static void tanh_gradient(std::size_t n, const T* h, const T* d, T* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = d[i] * (1 - h[i] * h[i]);
  }
};

}  // namespace breakeven::serial
