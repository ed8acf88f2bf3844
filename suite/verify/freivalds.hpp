// SPDX-License-Identifier: Apache-2.0
// Freivalds' check of a matrix product, with the bound left to the caller.
#pragma once

#include <cstdint>
#include <functional>

#include "suite/model/verification.hpp"
#include "suite/verify/gemm_operands.hpp"

namespace breakeven {

// What a bound for one row of c can be made of; norms are Euclidean, that of B is Frobenius'.
struct FreivaldsRow {
  double magnitude;  // sum of the row of |alpha| |A| |B| + |beta| |C0|
  double sum_c;      // sum of |c_i|
  double norm_a, norm_b, norm_c_before, norm_c;
  // What rounding does to the check's own sums of N float64, one deviation of it or more.
  double own_deviation;
};

// Ten vectors of ±1: one wrong element always shows; several in a row hide with odds of at most
// 1 : 1024. NaN anywhere fails.
Verification freivalds(const Gemm& gemm, const GemmOperands& operands, std::uint64_t seed,
                       const std::function<double(const FreivaldsRow&)>& bound);

}  // namespace breakeven
