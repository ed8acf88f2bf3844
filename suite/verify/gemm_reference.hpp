// SPDX-License-Identifier: Apache-2.0
// Rows of a matrix product in float64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "suite/verify/gemm_operands.hpp"

namespace breakeven {

struct RowOfBatch {
  std::size_t matrix = 0, row = 0;
};

// n elements per row, row after row.
struct ReferenceRows {
  std::vector<double> values;      // alpha op(a) op(b) + beta c_before
  std::vector<double> magnitudes;  // the same of absolute values: |alpha| |a| |b| + |beta| |c|
};

// All rows must be of one matrix.
ReferenceRows reference_rows(const Gemm& gemm, const GemmOperands& operands,
                             std::span<const RowOfBatch> rows);

// Every row of the batch as long as that takes about `products` multiplications, else the first,
// the last and random ones in between, at least four; sorted.
std::vector<RowOfBatch> rows_to_check(const Gemm& gemm, std::uint64_t seed, double products);

}  // namespace breakeven
