// SPDX-License-Identifier: Apache-2.0
#if __has_include(<cblas.h>)
#include <cblas.h>
#else
#include <mkl_cblas.h>
#endif

#include <algorithm>
#include <limits>

#include "plugins/blas/queue.hpp"

namespace breakeven::blas {

namespace {

using cpu::checked_product;
using cpu::make_task;

// The library's own type of a size: 32 or 64 bits.
template <class Result, class Integer, class... Rest>
Integer first_argument(Result (*)(Integer, Rest...));
using Integer = decltype(first_argument(&cblas_snrm2));

bool fits(std::size_t size) {
  return size <= std::size_t(std::numeric_limits<Integer>::max());
}

constexpr auto gemm_of(float) {
  return &cblas_sgemm;
}
constexpr auto gemm_of(double) {
  return &cblas_dgemm;
}
constexpr auto norm_of(float) {
  return &cblas_snrm2;
}
constexpr auto norm_of(double) {
  return &cblas_dnrm2;
}

auto transpose(Transpose transpose) {
  return transpose == Transpose::yes ? CblasTrans : CblasNoTrans;
}

}  // namespace

std::unique_ptr<Task> BlasQueue::compute(const Gemm& gemm) {
  if (gemm.math != Math::native || !fits(gemm.m) || !fits(gemm.n) || !fits(gemm.k)) return nullptr;
  return for_type(gemm.type, [&]<class T>(const serial::Kernels<T>&) {
    const T* a = operand<T>(gemm.a, checked_product(gemm.m, gemm.k, gemm.batch), "a");
    const T* b = operand<T>(gemm.b, checked_product(gemm.k, gemm.n, gemm.batch), "b");
    T* c = operand<T>(gemm.c, checked_product(gemm.m, gemm.n, gemm.batch), "c");
    const auto row = [](std::size_t columns) { return Integer(std::max<std::size_t>(columns, 1)); };
    return make_task(
        [a, b, c, m = gemm.m, n = gemm.n, k = gemm.k, batch = gemm.batch, alpha = T(gemm.alpha),
         beta = T(gemm.beta), transpose_a = transpose(gemm.transpose_a),
         transpose_b = transpose(gemm.transpose_b),
         row_a = row(gemm.transpose_a == Transpose::yes ? gemm.m : gemm.k),
         row_b = row(gemm.transpose_b == Transpose::yes ? gemm.k : gemm.n), row_c = row(gemm.n)] {
          for (std::size_t i = 0; i < batch; ++i)
            gemm_of(T())(CblasRowMajor, transpose_a, transpose_b, Integer(m), Integer(n),
                         Integer(k), alpha, a + i * m * k, row_a, b + i * k * n, row_b, beta,
                         c + i * m * n, row_c);
        });
  });
}

std::unique_ptr<Task> BlasQueue::compute(const Norm& norm) {
  if (!fits(norm.n)) return nullptr;
  return for_type(norm.type, [&]<class T>(const serial::Kernels<T>&) {
    const T* x = operand<T>(norm.x, checked_product(norm.n, norm.batch), "x");
    T* out = operand<T>(norm.out, norm.batch, "out");
    return make_task([x, out, n = norm.n, batch = norm.batch] {
      for (std::size_t i = 0; i < batch; ++i) out[i] = norm_of(T())(Integer(n), x + i * n, 1);
    });
  });
}

}  // namespace breakeven::blas
