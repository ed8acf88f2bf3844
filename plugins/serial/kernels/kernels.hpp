// SPDX-License-Identifier: Apache-2.0
// What one core computes with, once per family of processors and chosen at run time.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace breakeven::serial {

struct GemmShape {
  bool transpose_a = false, transpose_b = false;
  std::size_t m = 0, n = 0, k = 0;
  bool operator==(const GemmShape&) const = default;
};

// How one shape is computed: c = alpha op(a) op(b) + beta c, where c is not read for beta = 0.
template <class T>
struct GemmPlan {
  using Run = void (*)(const GemmPlan& plan, T alpha, const T* a, const T* b, T beta, T* c,
                       T* workspace);
  GemmShape shape;
  std::size_t workspace_elements = 0;  // 64-byte aligned
  Run run = nullptr;
};

template <class T>
struct Kernels {
  GemmPlan<T> (*plan_gemm)(const GemmShape& shape) = nullptr;
  T (*norm)(std::size_t n, const T* x) = nullptr;
  void (*multiply_add)(std::size_t n, const T* a, const T* b, const T* c, T* out) = nullptr;
  void (*tanh)(std::size_t n, const T* x, T* out) = nullptr;
  void (*tanh_gradient)(std::size_t n, const T* h, const T* d, T* out) = nullptr;
};

struct Variant {
  std::string_view name;
  Kernels<float> f32;
  Kernels<double> f64;
};

extern const Variant plain;
const Variant& best_variant();

}  // namespace breakeven::serial
