// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "plugins/serial/kernels/kernels.hpp"

namespace breakeven::serial {

namespace {

template <class T>
void gemm(const GemmPlan<T>& plan, T alpha, const T* a, const T* b, T beta, T* c, T*) {
  const auto& [transpose_a, transpose_b, m, n, k] = plan.shape;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      T sum = 0;
      for (std::size_t p = 0; p < k; ++p)
        sum += (transpose_a ? a[p * m + i] : a[i * k + p]) *
               (transpose_b ? b[j * k + p] : b[p * n + j]);
      c[i * n + j] = beta == 0 ? alpha * sum : alpha * sum + beta * c[i * n + j];
    }
}

template <class T>
GemmPlan<T> plan_gemm(const GemmShape& shape) {
  return {shape, 0, gemm<T>};
}

template <class T>
T norm(std::size_t n, const T* x) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += double(x[i]) * double(x[i]);
  return T(std::sqrt(sum));
}

template <class T>
void multiply_add(std::size_t n, const T* a, const T* b, const T* c, T* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] * b[i] + c[i];
}

template <class T>
void tanh(std::size_t n, const T* x, T* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = std::tanh(x[i]);
}

template <class T>
void tanh_gradient(std::size_t n, const T* h, const T* d, T* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = d[i] * (1 - h[i] * h[i]);
}

template <class T>
constexpr Kernels<T> kernels = {plan_gemm<T>, norm<T>, multiply_add<T>, tanh<T>, tanh_gradient<T>};

}  // namespace

const Variant plain = {"plain", kernels<float>, kernels<double>};

const Variant& best_variant() {
  return plain;
}

}  // namespace breakeven::serial
