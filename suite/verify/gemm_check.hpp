// SPDX-License-Identifier: Apache-2.0
// Is this the product that was asked for? Each check sees another kind of fault:
//   exact        indexing, tails, transposes, races: integers leave no room for rounding
//   elementwise  too little precision in a sum, for some rows
//   freivalds    any wrong element anywhere, in O(n^2)
//   precision    factors cut to fewer bits (TF32 for FP32), sums kept in the stored type
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "suite/model/verification.hpp"
#include "suite/verify/gemm_operands.hpp"

namespace breakeven {

// Whole numbers for a and b (for c_before use fill) such that with whole alpha and beta every order
// of summation gives the same bits: only so many columns of op(a) are not zero that no sum leaves
// the whole numbers that the type and its accumulator hold.
void fill_exact(const Gemm& gemm, std::uint64_t seed, std::span<std::byte> a,
                std::span<std::byte> b);

// For operands of fill_exact. Every element where that is cheap, else some rows; and Freivalds'
// check without any tolerance over all of them.
Verification check_exact(const Gemm& gemm, const GemmOperands& operands, std::uint64_t seed);

// Every element of the rows_to_check within
//   (2 u_in + gamma_{K+2}(u_acc)) (|alpha| |A| |B| + |beta| |C0|) + u_out |C|
// Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.5.
Verification check_elementwise(const Gemm& gemm, const GemmOperands& operands, std::uint64_t seed);

// Ten random vectors x of ±1: C x against alpha op(A) (op(B) x) + beta C0 x in float64, each row
// within the sum of its elementwise bounds and within 8 times what random rounding errors give,
//   8 (u_acc sqrt(K+2) |alpha| |a_i| |B| + u_in' |alpha| |a_i| |B| + u_acc |beta| |c0_i| + u_out
//   |c_i|)
// in Euclidean and Frobenius norms, where u_in' counts only for tf32. The check's own sums are
// rounded, too: 4 sqrt(N) 2^-53 (|alpha| |a_i| |B| + |beta| |c0_i| + |c_i|) more is allowed, which
// counts for f64. R. Freivalds, "Probabilistic machines can use less running time" (IFIP 1977).
Verification check_freivalds(const Gemm& gemm, const GemmOperands& operands, std::uint64_t seed);

// U[-1,1) for a and b, with at most 64 columns of op(a) not zero: a sum so short, in a product of
// any size, that factors with fewer bits stand out from the rounding of the sum.
void fill_precision_probe(const Gemm& gemm, std::uint64_t seed, std::span<std::byte> a,
                          std::span<std::byte> b);

// For operands of fill_precision_probe: elements within
//   8 sqrt(L) u_acc (|alpha| |A| |B| + |beta| |C0|) + u_out |C|, L = min(K, 64) + 2
// (for tf32, 2 u_in more).
Verification check_precision(const Gemm& gemm, const GemmOperands& operands, std::uint64_t seed);

}  // namespace breakeven
