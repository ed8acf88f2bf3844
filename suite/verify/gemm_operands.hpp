// SPDX-License-Identifier: Apache-2.0
// Host copies of what a matrix product read and wrote, and the rounding errors it may make.
#pragma once

#include <cstddef>
#include <span>

#include <breakeven/plugin.hpp>

namespace breakeven {

// All matrices of the batch. `c_before` may be empty where beta is 0.
struct GemmOperands {
  std::span<const std::byte> a, b, c_before, c;
};

// op(X) of one matrix X of a batch; rows and columns are those of op(X).
struct MatrixView {
  Type type = Type::f32;
  bool transposed = false;
  std::size_t rows = 0, columns = 0;
  std::span<const std::byte> data;

  std::size_t stored_rows() const { return transposed ? columns : rows; }
  std::size_t stored_columns() const { return transposed ? rows : columns; }
  void widen_stored_row(std::size_t row, std::span<double> to) const;
  // Row of op(X).
  void widen_row(std::size_t row, std::span<double> to) const;
};

MatrixView a_of(const Gemm& gemm, const GemmOperands& operands, std::size_t matrix);
MatrixView b_of(const Gemm& gemm, const GemmOperands& operands, std::size_t matrix);
MatrixView c_of(const Gemm& gemm, std::span<const std::byte> c, std::size_t matrix);

// Relative errors: of taking in one element, of one step of the sum, of storing the result.
struct Roundoffs {
  double input, accumulator, output;
};

// `input` is what a backend may lose on the way in, or between partial sums: 2^-10 for tf32 (cut,
// not rounded, to 11 bits). For f64 the accumulator is counted twice, because float64 is also what
// the result is compared with.
Roundoffs roundoffs(Type type, Math math);

// k u / (1 - k u): Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., lemma 3.1. It
// bounds nothing from k u = 1 on, and is the largest number there.
double gamma(double k, double u);

}  // namespace breakeven
