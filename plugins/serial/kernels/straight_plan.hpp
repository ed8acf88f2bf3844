// SPDX-License-Identifier: Apache-2.0
// How a shape is made as its operands lie: by tiles (plan.hpp), by sums along k, or by rows of few
// columns.
#pragma once

#include "plugins/serial/kernels/dot_products.hpp"
#include "plugins/serial/kernels/plan.hpp"

namespace breakeven::serial {

// So few columns that they are better summed along k. `lie`: columns of b follow one another along
// k already; then more of them pay off, because nothing is turned round.
template <class Target, class T>
bool is_narrow(const GemmShape& shape, const Way& way, bool lie = false) {
  const auto& [transpose_a, transpose_b, m, n, k] = shape;
  if (transpose_a || m < 4 || k * sizeof(T) < Target::bytes) return false;
  if (lie) {
    const std::size_t worth = computes_halves<Target>(way) ? k / 4 : k * sizeof(T) / 32;
    return n <= std::clamp<std::size_t>(worth, 8, Target::bytes == 64 ? 96 : 48);
  }
  return n <= (Target::bytes == 64 ? 3 : 1);
}

template <class Target, class T>
GemmPlan<T> plan_dot_products(const GemmShape& shape, const Way& way) {
  GemmPlan<T> plan;
  plan.shape = shape;
  plan.run = &run_dot_products<Target, T, Target::bytes>;
  if constexpr (Target::bytes == 64)
    if (cpu::short_vectors_are_better(shape.m, shape.n, shape.k * sizeof(T), way.rules))
      plan.run = &run_dot_products<Target, T, 32>;
  if (shape.n > 1 && !shape.transpose_b) plan.workspace_elements = shape.n * shape.k;
  return plan;
}

// Whether that is so of a shape, or it is so few rows and columns that tiles would wait for their
// sums, or the way says otherwise.
template <class Target, class T>
bool are_summed(const GemmShape& shape, const Way& way) {
  const auto& [transpose_a, transpose_b, m, n, k] = shape;
  if (transpose_a) return false;
  const std::size_t column_bytes = k * sizeof(T);
  const bool may_be =
      m >= (transpose_b ? 2 : 4) && n > 1 && n <= 96 && column_bytes >= 2 * Target::bytes;
  const bool are_few = m < 4 && n < 4 && (n == 1 || transpose_b) && column_bytes >= Target::bytes;
  return (is_narrow<Target, T>(shape, way) || are_few) != (way.sums && may_be);
}

template <class Target, class T>
bool are_narrow_rows(const GemmShape& shape, const Way& way) {
  using Rows = cpu::NarrowRows<Target, T, Target::bytes>;
  const auto& [transpose_a, transpose_b, m, n, k] = shape;
  return !transpose_a && !transpose_b && Rows::may_be(m, n, k) &&
         Rows::are_better(m, n, k) != way.by_rows;
}

template <class Target, class T>
GemmPlan<T> plan_tiles(const GemmShape& shape, const Way& way) {
  const auto& [transpose_a, transpose_b, m, n, k] = shape;
  // Rows that are shorter than a vector need b as it lies, and take some time to begin and to end.
  const std::size_t row_bytes = n * sizeof(T);
  const bool may_be_short = !transpose_b && k >= 8 && b_is_small<T>(shape);
  const auto fills = [&](std::size_t bytes) {
    return row_bytes >= bytes || (may_be_short && row_bytes > bytes / 2);
  };
  // Folding takes a vector of steps at a time. With fewer it only copies, which b transposed needs.
  const bool folds = n <= most_folded<Target, T, Target::bytes>(way) && !transpose_a &&
                     (k * sizeof(T) >= Target::bytes || n == 1 || transpose_b);
  if (fills(Target::bytes) || folds) return plan_with<Target, T, Target::bytes>(shape, way);
  if (Target::bytes > 32 && fills(32))
    return plan_with<Target, T, std::min(32, Target::bytes)>(shape, way);
  if (fills(16)) return plan_with<Target, T, std::min(16, Target::bytes)>(shape, way);
  return plan_with<Target, T, 2 * sizeof(T)>(shape, way);
}

template <class Target, class T>
GemmPlan<T> plan_straight(const GemmShape& asked, const Way& way) {
  GemmShape shape = asked;
  // A vector as the result: the matrix among the operands comes first or second as it lies. So it
  // does where few rows meet columns that lie along k; c is the other way round then.
  const GemmShape other{!asked.transpose_b, !asked.transpose_a, asked.n, asked.m, asked.k};
  const bool across = asked.m > 1 && asked.m < asked.n && other.transpose_b &&
                      is_narrow<Target, T>(other, way, true);
  const bool swapped =
      across || (asked.m == 1 && asked.transpose_b) || (asked.n == 1 && asked.transpose_a);
  if (swapped) shape = other;
  // A row or a column lies the same way either way.
  if (shape.m == 1) shape.transpose_a = false;
  if (shape.n == 1) shape.transpose_b = false;

  GemmPlan<T> plan;
  if (are_narrow_rows<Target, T>(shape, way))
    plan.shape = shape, plan.run = &run_narrow_rows<Target, T, Target::bytes>;
  else if (across || are_summed<Target, T>(shape, way))
    plan = plan_dot_products<Target, T>(shape, way);
  else
    plan = plan_tiles<Target, T>(shape, way);
  plan.swapped = swapped, plan.across = across;
  return plan;
}

}  // namespace breakeven::serial
