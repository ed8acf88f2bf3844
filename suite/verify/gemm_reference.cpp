// SPDX-License-Identifier: Apache-2.0
#include "suite/verify/gemm_reference.hpp"

#include <algorithm>
#include <cmath>

#include "suite/verify/random.hpp"

namespace breakeven {

namespace {

void add_scaled(double factor, const double* row, std::size_t n, double* values,
                double* magnitudes) {
  const double size = std::abs(factor);
  for (std::size_t j = 0; j < n; ++j) {
    values[j] += factor * row[j];
    magnitudes[j] += size * std::abs(row[j]);
  }
}

void dot(const double* x, const double* y, std::size_t n, double& value, double& magnitude) {
  for (std::size_t p = 0; p < n; ++p) {
    value += x[p] * y[p];
    magnitude += std::abs(x[p] * y[p]);
  }
}

}  // namespace

ReferenceRows reference_rows(const Gemm& gemm, const GemmOperands& operands,
                             std::span<const RowOfBatch> rows) {
  const std::size_t matrix = rows.front().matrix, n = gemm.n, k = gemm.k;
  const MatrixView a = a_of(gemm, operands, matrix), b = b_of(gemm, operands, matrix);

  std::vector<double> a_rows(rows.size() * k);
  for (std::size_t r = 0; r < rows.size(); ++r)
    a.widen_row(rows[r].row, std::span(a_rows).subspan(r * k, k));

  ReferenceRows out{std::vector<double>(rows.size() * n), std::vector<double>(rows.size() * n)};
  std::vector<double> b_row(b.stored_columns());
  for (std::size_t s = 0; s < b.stored_rows(); ++s) {
    b.widen_stored_row(s, b_row);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      double* values = out.values.data() + r * n;
      double* magnitudes = out.magnitudes.data() + r * n;
      if (b.transposed)
        dot(a_rows.data() + r * k, b_row.data(), k, values[s], magnitudes[s]);
      else
        add_scaled(a_rows[r * k + s], b_row.data(), n, values, magnitudes);
    }
  }

  std::vector<double> c_row(n);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (gemm.beta != 0) c_of(gemm, operands.c_before, matrix).widen_row(rows[r].row, c_row);
    for (std::size_t j = 0; j < n; ++j) {
      double& value = out.values[r * n + j];
      double& magnitude = out.magnitudes[r * n + j];
      value = gemm.alpha * value + gemm.beta * c_row[j];
      magnitude = std::abs(gemm.alpha) * magnitude + std::abs(gemm.beta * c_row[j]);
    }
  }
  return out;
}

std::vector<RowOfBatch> rows_to_check(const Gemm& gemm, std::uint64_t seed, double products) {
  const std::size_t all = gemm.m * gemm.batch;
  const double each = std::max(1.0, static_cast<double>(gemm.n) * static_cast<double>(gemm.k));
  const auto affordable = static_cast<std::size_t>(std::min(products / each, 1e9));
  const std::size_t count = std::min(all, std::max<std::size_t>(affordable, 4));

  std::vector<std::size_t> chosen;
  if (count == all) {
    for (std::size_t i = 0; i < all; ++i) chosen.push_back(i);
  } else {
    chosen = {0, all - 1};
    for (std::size_t i = 2; i < count; ++i) chosen.push_back(random_below(all, seed, i));
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  }
  std::vector<RowOfBatch> rows;
  for (const std::size_t i : chosen) rows.push_back({i / gemm.m, i % gemm.m});
  return rows;
}

}  // namespace breakeven
