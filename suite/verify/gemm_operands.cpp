// SPDX-License-Identifier: Apache-2.0
#include "suite/verify/gemm_operands.hpp"

#include <limits>

#include "suite/verify/numbers.hpp"

namespace breakeven {

namespace {

MatrixView view(Type type, Transpose transpose, std::size_t rows, std::size_t columns,
                std::span<const std::byte> batch, std::size_t matrix) {
  const std::size_t bytes = rows * columns * bytes_of(type);
  return {type, transpose == Transpose::yes, rows, columns, batch.subspan(matrix * bytes, bytes)};
}

}  // namespace

void MatrixView::widen_stored_row(std::size_t row, std::span<double> to) const {
  const std::size_t bytes = stored_columns() * bytes_of(type);
  widen(type, data.subspan(row * bytes, bytes), to.first(stored_columns()));
}

void MatrixView::widen_row(std::size_t row, std::span<double> to) const {
  if (!transposed) return widen_stored_row(row, to);
  for (std::size_t p = 0; p < columns; ++p) to[p] = element(type, data, p * rows + row);
}

MatrixView a_of(const Gemm& gemm, const GemmOperands& operands, std::size_t matrix) {
  return view(gemm.type, gemm.transpose_a, gemm.m, gemm.k, operands.a, matrix);
}

MatrixView b_of(const Gemm& gemm, const GemmOperands& operands, std::size_t matrix) {
  return view(gemm.type, gemm.transpose_b, gemm.k, gemm.n, operands.b, matrix);
}

MatrixView c_of(const Gemm& gemm, std::span<const std::byte> c, std::size_t matrix) {
  return view(gemm.type, Transpose::no, gemm.m, gemm.n, c, matrix);
}

Roundoffs roundoffs(Type type, Math math) {
  switch (type) {
    case Type::f32:
      return {math == Math::tf32 ? 0x1p-10 : 0x1p-24, 0x1p-24, 0x1p-24};
    case Type::f64:
      return {0x1p-53, 0x1p-52, 0x1p-53};
    case Type::f16:
      return {0x1p-11, 0x1p-24, 0x1p-11};
    case Type::bf16:
      return {0x1p-9, 0x1p-24, 0x1p-8};
  }
  return {};
}

double gamma(double k, double u) {
  return k * u < 1 ? k * u / (1 - k * u) : std::numeric_limits<double>::max();
}

}  // namespace breakeven
