// SPDX-License-Identifier: Apache-2.0
// Products row by row: of one row and a b that is wide and larger than the first caches, or narrow;
// or of a few steps.
#pragma once

#include <utility>

#include "plugins/cpu_common/narrow_rows.hpp"
#include "plugins/cpu_common/row.hpp"
#include "plugins/serial/kernels/kernels.hpp"

namespace breakeven::serial {

// So many rows of b at once.
template <class Target, class T, int bytes, int at_once>
void run_row(const GemmPlan<T>& plan, std::size_t batch, T alpha, const T* a, const T* b, T beta,
             T* c, T*) {
  const std::size_t n = plan.shape.n, k = plan.shape.k;
  if (plan.swapped) std::swap(a, b);
  for (; batch > 0; --batch, a += k, b += k * n, c += n)
    cpu::Row<Target, T, bytes, at_once>::product(n, k, alpha, a, b, beta, c);
}

// A part of a longer row at a time.
template <class Target, class T, int bytes, int at_once>
void run_long_row(const GemmPlan<T>& plan, std::size_t batch, T alpha, const T* a, const T* b,
                  T beta, T* c, T*) {
  const std::size_t n = plan.shape.n, k = plan.shape.k;
  if (plan.swapped) std::swap(a, b);
  for (; batch > 0; --batch, a += k, b += k * n, c += n)
    cpu::Row<Target, T, bytes, at_once>::product_in_parts(n, n, k, alpha, a, b, beta, c);
}

// A few rows of few columns.
template <class Target, class T, int bytes>
void run_narrow_rows(const GemmPlan<T>& plan, std::size_t batch, T alpha, const T* a, const T* b,
                     T beta, T* c, T*) {
  const auto& [transpose_a, transpose_b, m, n, k] = plan.shape;
  if (plan.swapped) std::swap(a, b);
  const auto run = cpu::NarrowRows<Target, T, bytes>::of_columns[n - 2];
  for (; batch > 0; --batch, a += m * k, b += k * n, c += m * n) run(m, k, alpha, a, k, b, beta, c);
}

// Rows of a few steps, one by one.
template <class Target, class T, int bytes>
void run_rows(const GemmPlan<T>& plan, std::size_t batch, T alpha, const T* a, const T* b, T beta,
              T* c, T*) {
  const auto& [transpose_a, transpose_b, m, n, k] = plan.shape;
  if (plan.swapped) std::swap(a, b);
  const auto run = cpu::Rows<Target, T, bytes>::of_steps[k - 1];
  for (; batch > 0; --batch, a += m * k, b += k * n, c += m * n)
    run(m, n, alpha, a, transpose_a ? 1 : k, transpose_a ? m : 1, b, beta, c);
}

}  // namespace breakeven::serial
