// SPDX-License-Identifier: Apache-2.0
#include "product_check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "suite/verify/freivalds.hpp"
#include "suite/verify/gemm_reference.hpp"

namespace breakeven {

void check_product(const Gemm& gemm, std::span<const std::byte> a, std::span<const std::byte> b,
                   std::span<const std::byte> c) {
  constexpr double affordable_products = 0x1p26, deviations = 8;
  constexpr std::uint64_t seed = 1;
  const GemmOperands operands{a, b, {}, c};
  const Roundoffs u = roundoffs(gemm.type, gemm.math);
  const double share = std::sqrt(double(gemm.k) + 2) * u.accumulator;
  const double underflow = gemm.type == Type::f16 ? 0x1p-14 : 0;  // the least normal number
  std::vector<double> computed(gemm.n);
  for (const RowOfBatch row : rows_to_check(gemm, seed, affordable_products)) {
    const ReferenceRows reference = reference_rows(gemm, operands, {&row, 1});
    c_of(gemm, c, row.matrix).widen_row(row.row, computed);
    for (std::size_t j = 0; j < gemm.n; ++j) {
      const double expected = reference.values[j];
      const double allowed =
          deviations * share * reference.magnitudes[j] + u.output * std::abs(expected) + underflow;
      if (!(std::abs(computed[j] - expected) <= allowed))
        throw std::runtime_error(
            fmt::format("the product is wrong: c[{},{},{}] is {}, expected {} within {:.2g}",
                        row.matrix, row.row, j, computed[j], expected, allowed));
    }
  }
  const Verification all = freivalds(gemm, operands, seed, [=](const FreivaldsRow& row) {
    return deviations * (share * row.norm_a * row.norm_b + u.output * row.norm_c +
                         std::sqrt(double(gemm.n)) * underflow + row.own_deviation);
  });
  if (!all.passed) throw std::runtime_error("the product is wrong: " + all.message);
}

}  // namespace breakeven
