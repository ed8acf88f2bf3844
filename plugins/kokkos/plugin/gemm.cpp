// SPDX-License-Identifier: Apache-2.0
#include "product.hpp"

namespace breakeven::kokkos {
namespace {

template <class T, class Sum>
std::unique_ptr<Task> prepare_product(const Gemm& gemm, const Target& target) {
  const std::size_t m = gemm.m, n = gemm.n, k = gemm.k;
  const T* const a = operand<T>(gemm.a, gemm.batch * m * k, target);
  const T* const b = operand<T>(gemm.b, gemm.batch * k * n, target);
  T* const c = operand<T>(gemm.c, gemm.batch * m * n, target);
  if (a == nullptr || b == nullptr || c == nullptr) return nullptr;
  if (gemm.batch * m * n == 0) return make_task([] {});
  const bool across_a = gemm.transpose_a == Transpose::yes;
  const bool across_b = gemm.transpose_b == Transpose::yes;
  return launch(Product<T, Sum>{a, b, c, m, n, k, gemm.batch, across_a ? 1 : k, across_a ? m : 1,
                                across_b ? 1 : n, across_b ? k : 1, static_cast<Sum>(gemm.alpha),
                                static_cast<Sum>(gemm.beta)},
                target);
}

}  // namespace

std::unique_ptr<Task> prepare(const Gemm& gemm, const Target& target) {
  if (gemm.math != Math::native) return nullptr;
  switch (gemm.type) {
    case Type::f32:
      return prepare_product<float, float>(gemm, target);
    case Type::f64:
      return prepare_product<double, double>(gemm, target);
    case Type::f16:
      return prepare_product<Half, float>(gemm, target);
    case Type::bf16:
      return prepare_product<BrainHalf, float>(gemm, target);
  }
  return nullptr;
}

}  // namespace breakeven::kokkos
