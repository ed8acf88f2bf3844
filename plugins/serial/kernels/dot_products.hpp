// SPDX-License-Identifier: Apache-2.0
// Products of few columns as sums along k.
#pragma once

#include <utility>

#include "plugins/cpu_common/dot_products.hpp"
#include "plugins/cpu_common/turn_block.hpp"
#include "plugins/serial/kernels/kernels.hpp"
#include "plugins/serial/kernels/vector.hpp"

namespace breakeven::serial {

// The most columns for which the rules turn b round.
inline constexpr int most_turned = 6;

// Any number of columns; those that do not lie along k are turned round first.
template <class Target, class T, int bytes>
void run_dot_products(const GemmPlan<T>& plan, std::size_t batch, T alpha, const T* a, const T* b,
                      T beta, T* c, T* workspace) {
  using Products = cpu::DotProducts<Target, cpu::Factors<T, bytes>>;
  const auto& [transpose_a, transpose_b, m, n, k] = plan.shape;
  if (plan.swapped) std::swap(a, b);
  const bool turns = n > 1 && !transpose_b;
  const std::size_t c_row = plan.across ? 1 : n, c_column = plan.across ? m : 1;
  for (; batch > 0; --batch, a += m * k, b += k * n, c += m * n) {
    if (turns) cpu::transpose<bytes>(k, n, b, n, workspace, k);
    Products::run(m, n, {k, a, k, turns ? workspace : b, k, c, c_row, c_column, alpha, beta});
  }
}

// c, column by column, of rows that `Format` widens and columns that follow one another.
template <class Target, class Format>
void widen_along(std::size_t m, std::size_t n, std::size_t k, float alpha,
                 const typename Format::Element* a, const float* b, float beta, float* c) {
  using Factors = cpu::Factors<float, Target::bytes, Format>;
  cpu::DotProducts<Target, Factors>::run(m, n, {k, a, k, b, k, c, 1, m, alpha, beta});
}

}  // namespace breakeven::serial
