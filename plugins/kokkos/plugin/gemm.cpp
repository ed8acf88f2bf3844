// SPDX-License-Identifier: Apache-2.0
#include "range.hpp"
#include "task.hpp"

namespace breakeven::kokkos {
namespace {

template <class T>
struct Element {
  const T *a, *b;
  T* c;
  std::size_t m, n, k;
  std::size_t a_row, a_column, b_row, b_column;
  T alpha, beta;

  KOKKOS_FUNCTION void operator()(std::size_t index) const {
    const std::size_t matrix = index / (m * n), i = index % (m * n) / n, j = index % n;
    const T* const left = a + matrix * m * k + i * a_row;
    const T* const right = b + matrix * k * n + j * b_column;
    T sum = 0;
    for (std::size_t p = 0; p < k; ++p) sum += left[p * a_column] * right[p * b_row];
    c[index] = beta == T(0) ? alpha * sum : alpha * sum + beta * c[index];
  }
};

template <class T>
std::unique_ptr<Task> prepare_for(const Gemm& gemm, const Target& target) {
  const auto [m, n, k] = std::array{gemm.m, gemm.n, gemm.k};
  const T* const a = operand<T>(gemm.a, gemm.batch * m * k, target);
  const T* const b = operand<T>(gemm.b, gemm.batch * k * n, target);
  T* const c = operand<T>(gemm.c, gemm.batch * m * n, target);
  if (a == nullptr || b == nullptr || c == nullptr) return nullptr;
  const bool ta = gemm.transpose_a == Transpose::yes, tb = gemm.transpose_b == Transpose::yes;
  const Element<T> body{a,
                        b,
                        c,
                        m,
                        n,
                        k,
                        ta ? 1 : k,
                        ta ? m : 1,
                        tb ? 1 : n,
                        tb ? k : 1,
                        static_cast<T>(gemm.alpha),
                        static_cast<T>(gemm.beta)};
  return make_task([body, space = target.space, batch = gemm.batch] {
    const std::size_t count = batch * body.m * body.n;
    for_range(space, count, count * (body.k + 1) * sizeof(T), body);
  });
}

}  // namespace

std::unique_ptr<Task> prepare(const Gemm& gemm, const Target& target) {
  if (gemm.math != Math::native) return nullptr;
  if (gemm.type == Type::f32) return prepare_for<float>(gemm, target);
  if (gemm.type == Type::f64) return prepare_for<double>(gemm, target);
  return nullptr;
}

}  // namespace breakeven::kokkos
