// SPDX-License-Identifier: Apache-2.0
// How a shape is made: as it lies (straight_plan.hpp), after a or b was turned round, or turned
// round itself.
#pragma once

#include "plugins/serial/kernels/straight_plan.hpp"

namespace breakeven::serial {

// The transposed product, of b and a as they lie, and then c is turned round.
template <class Target, class T>
void run_turned(const GemmPlan<T>& plan, std::size_t batch, T alpha, const T* a, const T* b, T beta,
                T* c, T* workspace) {
  const std::size_t m = plan.swapped ? plan.shape.m : plan.shape.n;  // of c
  const std::size_t n = plan.swapped ? plan.shape.n : plan.shape.m, k = plan.shape.k;
  T* const turned = workspace + plan.turned_offset;
  for (; batch > 0; --batch, a += m * k, b += k * n, c += m * n) {
    if (beta != 0) cpu::transpose<Target::bytes>(m, n, c, n, turned, m);
    plan.turned(plan, 1, alpha, b, a, beta, turned, workspace);
    cpu::transpose<Target::bytes>(n, m, turned, m, c, n);
  }
}

// Whether that is faster: for few rows beside a transposed b, which is read once and from end to
// end then. Where a is not transposed it is turned round, too; that was measured on a Zen 5, with
// its AVX2 kernels too.
template <class Target, class T>
bool turns_c(const GemmShape& shape, const Way& way) {
  const auto& [transpose_a, transpose_b, m, n, k] = shape;
  constexpr std::size_t lanes = Target::bytes / sizeof(T), megabyte = 1 << 20;
  const std::size_t b_bytes = n * k * sizeof(T), row_bytes = n * sizeof(T);
  if (!transpose_b) return false;
  if (transpose_a) return 2 * m <= std::min<std::size_t>({n, k, 400});
  if (m * row_bytes > 16 * megabyte || computes_halves<Target>(way)) return false;
  const auto is_less = [m = m, n = n, k = k](std::size_t weight) {
    return 5 * m * (k + weight * n) <= 4 * n * k;
  };
  if (!is_less(1)) return false;
  const bool far = cpu::is_far(b_bytes);
  if (Target::bytes < 64) return far && m >= lanes && m <= 256;
  // In f32 one vector of rows, or half of one, which takes half the time, beside columns enough.
  const bool half = 2 * m == lanes;
  const bool one_vector =
      sizeof(T) == 4 && (half || m == lanes) && n >= std::min<std::size_t>(k, 200);
  if (one_vector && half && k >= 500 && b_bytes <= 32 * megabyte) return true;
  if (far && m >= lanes && m <= 512) return true;
  // Rows of c that are whole pages apart push each other out of the first cache.
  return (m >= 2 * lanes || (one_vector && k >= 100 && row_bytes % 1024 != 0)) &&
         is_less(row_bytes % 4096 == 0 ? 4 : 1);
}

// a is turned round before everything else.
template <class Target, class T>
void run_a_turned(const GemmPlan<T>& plan, std::size_t batch, T alpha, const T* a, const T* b,
                  T beta, T* c, T* workspace) {
  const std::size_t m = plan.swapped ? plan.shape.n : plan.shape.m;  // of c
  const std::size_t n = plan.swapped ? plan.shape.m : plan.shape.n, k = plan.shape.k;
  T* const turned = workspace + plan.turned_offset;
  for (; batch > 0; --batch, a += m * k, b += k * n, c += m * n) {
    cpu::transpose<Target::bytes>(k, m, a, m, turned, k);
    plan.turned(plan, 1, alpha, turned, b, beta, c, workspace);
  }
}
// b is.
template <class Target, class T>
void run_b_turned(const GemmPlan<T>& plan, std::size_t batch, T alpha, const T* a, const T* b,
                  T beta, T* c, T* workspace) {
  const auto& [transpose_a, transpose_b, m, n, k] = plan.shape;  // never swapped: b does not lie so
  T* const turned = workspace + plan.turned_offset;
  for (; batch > 0; --batch, a += m * k, b += k * n, c += m * n) {
    cpu::transpose<Target::bytes>(n, k, b, k, turned, n);
    plan.turned(plan, 1, alpha, a, turned, beta, c, workspace);
  }
}

template <class Target, class T>
GemmPlan<T> plan_gemm(const GemmShape& asked, const Way& way) {
  GemmShape shape = asked;
  // One step of a or of b lies the same way either way.
  if (shape.k == 1) shape.transpose_a = shape.transpose_b = false;
  const auto& [transpose_a, transpose_b, m, n, k] = shape;
  const bool may_turn = (transpose_a || transpose_b) && m > 1 && n > 1;
  const bool turns_a = may_turn && transpose_a && way.turns_a;
  const bool turns_b = may_turn && transpose_b && way.turns_b && !turns_a;
  const bool turns_operand = turns_a || turns_b;
  if (!turns_operand && (!may_turn || turns_c<Target, T>(shape, way) == way.turns_c))
    return plan_straight<Target, T>(shape, way);
  const GemmShape made = turns_operand
                             ? GemmShape{transpose_a && !turns_a, transpose_b && !turns_b, m, n, k}
                             : GemmShape{!transpose_b, !transpose_a, n, m, k};
  GemmPlan<T> plan = plan_straight<Target, T>(made, way);
  plan.turned = plan.run;
  plan.run = turns_a   ? &run_a_turned<Target, T>
             : turns_b ? &run_b_turned<Target, T>
                       : &run_turned<Target, T>;
  plan.turned_offset = round_up(plan.workspace_elements, 64);
  plan.workspace_elements = plan.turned_offset + (turns_a ? m * k : turns_b ? n * k : m * n);
  return plan;
}

}  // namespace breakeven::serial
