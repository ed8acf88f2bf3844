// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <type_traits>

#include "plugins/blas/queue.hpp"

namespace breakeven::blas {

namespace {

using cpu::checked_product;
using cpu::make_task;

bool fits(const Library& library, std::size_t size) {
  return size <= std::size_t(library.wide ? std::numeric_limits<std::int64_t>::max()
                                          : std::numeric_limits<std::int32_t>::max());
}

template <class T>
const Routines<T>& routines_of(const Library& library) {
  if constexpr (std::is_same_v<T, float>)
    return library.f32;
  else
    return library.f64;
}

// As the standard of CBLAS has them.
constexpr int row_major = 101;
constexpr int transposed(Transpose transpose) {
  return transpose == Transpose::yes ? 112 : 111;
}

}  // namespace

std::unique_ptr<Task> BlasQueue::compute(const AnyOperation& operation) {
  if (const auto* gemm = operation.as<Gemm>()) return product(*gemm);
  if (const auto* one = operation.as<Norm>()) return norm(*one);
  return ElementwiseQueue::compute(operation);
}

std::unique_ptr<Task> BlasQueue::product(const Gemm& gemm) const {
  if (gemm.math != Math::native || !fits(library_, std::max({gemm.m, gemm.n, gemm.k})))
    return nullptr;
  return for_type(gemm.type, [&]<class T>(const serial::Kernels<T>&) -> std::unique_ptr<Task> {
    const GemmRoutine<T> run = routines_of<T>(library_).gemm;
    if (!run) return nullptr;
    const T* a = operand<T>(gemm.a, checked_product(gemm.m, gemm.k, gemm.batch), "a");
    const T* b = operand<T>(gemm.b, checked_product(gemm.k, gemm.n, gemm.batch), "b");
    T* c = operand<T>(gemm.c, checked_product(gemm.m, gemm.n, gemm.batch), "c");
    const auto row = [](std::size_t columns) { return Integer(std::max<std::size_t>(columns, 1)); };
    return make_task(
        [run, a, b, c, m = gemm.m, n = gemm.n, k = gemm.k, batch = gemm.batch,
         alpha = T(gemm.alpha), beta = T(gemm.beta), transpose_a = transposed(gemm.transpose_a),
         transpose_b = transposed(gemm.transpose_b),
         row_a = row(gemm.transpose_a == Transpose::yes ? gemm.m : gemm.k),
         row_b = row(gemm.transpose_b == Transpose::yes ? gemm.k : gemm.n), row_c = row(gemm.n)] {
          for (std::size_t i = 0; i < batch; ++i)
            run(row_major, transpose_a, transpose_b, Integer(m), Integer(n), Integer(k), alpha,
                a + i * m * k, row_a, b + i * k * n, row_b, beta, c + i * m * n, row_c);
        },
        by_library(sizeof(T) == 4 ? "cblas_sgemm" : "cblas_dgemm"));
  });
}

std::unique_ptr<Task> BlasQueue::norm(const Norm& norm) const {
  if (!fits(library_, norm.n)) return nullptr;
  return for_type(norm.type, [&]<class T>(const serial::Kernels<T>&) -> std::unique_ptr<Task> {
    const NormRoutine<T> run = routines_of<T>(library_).norm;
    if (!run) return nullptr;
    const T* x = operand<T>(norm.x, checked_product(norm.n, norm.batch), "x");
    T* out = operand<T>(norm.out, norm.batch, "out");
    return make_task(
        [run, x, out, n = norm.n, batch = norm.batch] {
          for (std::size_t i = 0; i < batch; ++i) out[i] = run(Integer(n), x + i * n, 1);
        },
        by_library(sizeof(T) == 4 ? "cblas_snrm2" : "cblas_dnrm2"));
  });
}

}  // namespace breakeven::blas
