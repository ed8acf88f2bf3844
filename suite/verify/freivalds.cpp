// SPDX-License-Identifier: Apache-2.0
#include "suite/verify/freivalds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "suite/verify/gemm_reference.hpp"
#include "suite/verify/random.hpp"

namespace breakeven {

namespace {

constexpr std::size_t vectors = 10;

// Ten vectors, and one that is multiplied by absolute values.
struct Columns {
  explicit Columns(std::size_t elements) : length(elements), magnitude(elements) {
    for (auto& vector : values) vector.resize(length);
  }
  std::size_t length;
  std::array<std::vector<double>, vectors> values;
  std::vector<double> magnitude;
};

Columns random_signs(std::size_t length, std::uint64_t seed) {
  Columns signs(length);
  for (std::size_t j = 0; j < length; ++j) {
    const std::uint64_t bits = random_bits(seed, j);
    for (std::size_t v = 0; v < vectors; ++v) signs.values[v][j] = (bits >> v & 1) != 0 ? 1 : -1;
  }
  std::fill(signs.magnitude.begin(), signs.magnitude.end(), 1.0);
  return signs;
}

struct Product {
  explicit Product(std::size_t rows) : columns(rows), squares(rows) {}
  Columns columns;
  std::vector<double> squares;  // of each row of the matrix
};

// Two lanes are what every 64-bit processor has; the compiler needs no licence to reorder sums.
using Lanes [[gnu::vector_size(16)]] = double;

void multiply_row(const std::vector<double>& row, const Columns& x, std::size_t s, Product& out) {
  const std::size_t n = row.size(), even = n / 2 * 2;
  std::array<Lanes, vectors> sums{};
  Lanes magnitude{}, square{};
  for (std::size_t j = 0; j < even; j += 2) {
    const Lanes value{row[j], row[j + 1]};
    for (std::size_t v = 0; v < vectors; ++v)
      sums[v] += value * Lanes{x.values[v][j], x.values[v][j + 1]};
    magnitude +=
        Lanes{std::abs(row[j]), std::abs(row[j + 1])} * Lanes{x.magnitude[j], x.magnitude[j + 1]};
    square += value * value;
  }
  for (std::size_t v = 0; v < vectors; ++v) {
    out.columns.values[v][s] = sums[v][0] + sums[v][1];
    if (even < n) out.columns.values[v][s] += row[even] * x.values[v][even];
  }
  out.columns.magnitude[s] = magnitude[0] + magnitude[1];
  out.squares[s] = square[0] + square[1];
  if (even < n) {
    out.columns.magnitude[s] += std::abs(row[even]) * x.magnitude[even];
    out.squares[s] += row[even] * row[even];
  }
}

void add_column(const std::vector<double>& column, const Columns& x, std::size_t s, Product& out) {
  for (std::size_t v = 0; v < vectors; ++v) {
    const double factor = x.values[v][s];
    std::vector<double>& sums = out.columns.values[v];
    for (std::size_t j = 0; j < column.size(); ++j) sums[j] += factor * column[j];
  }
  for (std::size_t j = 0; j < column.size(); ++j) {
    out.columns.magnitude[j] += x.magnitude[s] * std::abs(column[j]);
    out.squares[j] += column[j] * column[j];
  }
}

// op(matrix) x
Product multiply(const MatrixView& matrix, const Columns& x) {
  Product out(matrix.rows);
  std::vector<double> stored(matrix.stored_columns());
  for (std::size_t s = 0; s < matrix.stored_rows(); ++s) {
    matrix.widen_stored_row(s, stored);
    if (matrix.transposed)
      add_column(stored, x, s, out);
    else
      multiply_row(stored, x, s, out);
  }
  return out;
}

double norm(const std::vector<double>& squares) {
  double sum = 0;
  for (const double square : squares) sum += square;
  return std::sqrt(sum);
}

// Names an element where one can be named.
std::string explain(const Gemm& gemm, const GemmOperands& operands, RowOfBatch row) {
  const ReferenceRows reference = reference_rows(gemm, operands, {&row, 1});
  std::vector<double> computed(gemm.n);
  c_of(gemm, operands.c, row.matrix).widen_row(row.row, computed);
  std::size_t worst = 0;
  double largest = -1;
  for (std::size_t j = 0; j < gemm.n; ++j) {
    const double error = std::abs(computed[j] - reference.values[j]);
    if (error <= largest) continue;
    worst = j;
    if (std::isnan(error)) break;
    largest = error;
  }
  return fmt::format("c[{}{},{}] is {}, expected {}",
                     gemm.batch > 1 ? fmt::format("{},", row.matrix) : "", row.row, worst,
                     computed[worst], reference.values[worst]);
}

void check_matrix(const Gemm& gemm, const GemmOperands& operands, std::size_t matrix,
                  const Columns& signs, const std::function<double(const FreivaldsRow&)>& bound,
                  Findings& findings) {
  const Product b = multiply(b_of(gemm, operands, matrix), signs);
  const Product a = multiply(a_of(gemm, operands, matrix), b.columns);
  const Product c = multiply(c_of(gemm, operands.c, matrix), signs);
  Product before(gemm.m);
  if (gemm.beta != 0) before = multiply(c_of(gemm, operands.c_before, matrix), signs);
  const double norm_b = norm(b.squares);

  for (std::size_t i = 0; i < gemm.m; ++i) {
    const double alpha = std::abs(gemm.alpha), beta = std::abs(gemm.beta);
    const double norm_a = std::sqrt(a.squares[i]), norm_before = std::sqrt(before.squares[i]),
                 norm_c = std::sqrt(c.squares[i]);
    const double magnitude = alpha * a.columns.magnitude[i] + beta * before.columns.magnitude[i];
    const double sum_c = c.columns.magnitude[i];
    // The roundings of a sum of N terms with random signs come to 0.41 sqrt(N) of its norm, which
    // is no more than the sum but where squares overflow.
    const double own = 0.5 * 0x1p-53 * std::sqrt(double(gemm.n)) *
                       (std::min(alpha * norm_a * norm_b + beta * norm_before, magnitude) +
                        std::min(norm_c, sum_c));
    const double allowed = bound({magnitude, sum_c, norm_a, norm_b, norm_before, norm_c, own});
    for (std::size_t v = 0; v < vectors; ++v) {
      const double expected =
          gemm.alpha * a.columns.values[v][i] + gemm.beta * before.columns.values[v][i];
      if (findings.note(std::abs(c.columns.values[v][i] - expected), allowed))
        findings.explain(explain(gemm, operands, {matrix, i}));
    }
  }
}

}  // namespace

Verification freivalds(const Gemm& gemm, const GemmOperands& operands, std::uint64_t seed,
                       const std::function<double(const FreivaldsRow&)>& bound) {
  Findings findings("freivalds");
  const Columns signs = random_signs(gemm.n, random_bits(seed, 4));
  for (std::size_t matrix = 0; matrix < gemm.batch; ++matrix)
    check_matrix(gemm, operands, matrix, signs, bound, findings);
  return std::move(findings).result();
}

}  // namespace breakeven
