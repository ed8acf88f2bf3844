// SPDX-License-Identifier: Apache-2.0
#include "suite/verify/gemm_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "suite/verify/freivalds.hpp"
#include "suite/verify/gemm_reference.hpp"
#include "suite/verify/numbers.hpp"
#include "suite/verify/random.hpp"

namespace breakeven {

namespace {

constexpr double affordable_products = 0x1p23;
constexpr std::size_t probe_depth = 64;
constexpr double deviations = 8;

// How many products of two whole numbers up to 2 add up exactly in any order.
std::size_t exact_depth(Type type) {
  switch (type) {
    case Type::f32:
      return std::size_t{1} << 21;
    case Type::f64:
      return std::size_t{1} << 50;
    case Type::f16:
      return 500;
    case Type::bf16:
      return 62;
  }
  return 0;
}

// Zeroes all but `depth` columns of op(a), spread evenly from the first to the last.
void thin_out(const Gemm& gemm, std::size_t depth, std::span<std::byte> a) {
  if (gemm.k <= depth) return;
  std::vector<bool> kept(gemm.k, false);
  for (std::size_t i = 0; i < depth; ++i) kept[i * (gemm.k - 1) / (depth - 1)] = true;
  const std::size_t bytes = bytes_of(gemm.type), stored = gemm.m * gemm.k;
  for (std::size_t i = 0; i < stored * gemm.batch; ++i) {
    const std::size_t place = i % stored;
    const bool is_transposed = gemm.transpose_a == Transpose::yes;
    if (!kept[is_transposed ? place / gemm.m : place % gemm.k])
      std::memset(a.data() + i * bytes, 0, bytes);
  }
}

// Compares the rows_to_check with float64; `bound(magnitude, value)` is what an element may be off.
template <class Bound>
Verification compare_rows(std::string method, const Gemm& gemm, const GemmOperands& operands,
                          std::uint64_t seed, Bound bound) {
  constexpr std::size_t most_together = 16;  // rows that share one pass over b
  Findings findings(std::move(method));
  std::vector<double> computed(gemm.n);
  const std::vector<RowOfBatch> rows = rows_to_check(gemm, seed, affordable_products);
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    while (end < rows.size() && end < begin + most_together &&
           rows[end].matrix == rows[begin].matrix)
      ++end;
    const std::span<const RowOfBatch> block(rows.data() + begin, end - begin);
    const ReferenceRows reference = reference_rows(gemm, operands, block);
    for (std::size_t r = 0; r < block.size(); ++r) {
      c_of(gemm, operands.c, block[r].matrix).widen_row(block[r].row, computed);
      for (std::size_t j = 0; j < gemm.n; ++j) {
        const double expected = reference.values[r * gemm.n + j];
        const double allowed = bound(reference.magnitudes[r * gemm.n + j], expected);
        if (findings.note(std::abs(computed[j] - expected), allowed))
          findings.explain(fmt::format("c[{}{},{}] is {}, expected {} within {:.2g}",
                                       gemm.batch > 1 ? fmt::format("{},", block[r].matrix) : "",
                                       block[r].row, j, computed[j], expected, allowed));
      }
    }
  }
  return std::move(findings).result();
}

}  // namespace

void fill_exact(const Gemm& gemm, std::uint64_t seed, std::span<std::byte> a,
                std::span<std::byte> b) {
  fill(gemm.type, Values::small_integers, random_bits(seed, 0), a);
  fill(gemm.type, Values::small_integers, random_bits(seed, 1), b);
  thin_out(gemm, exact_depth(gemm.type), a);
}

Verification check_exact(const Gemm& gemm, const GemmOperands& operands, std::uint64_t seed) {
  Verification rows = compare_rows("exact", gemm, operands, seed, [](double, double) { return 0; });
  Verification all = freivalds(gemm, operands, seed, [](const FreivaldsRow&) { return 0; });
  all.method = rows.method;
  return both(std::move(rows), all);
}

Verification check_elementwise(const Gemm& gemm, const GemmOperands& operands, std::uint64_t seed) {
  const Roundoffs u = roundoffs(gemm.type, gemm.math);
  const double share = 2 * u.input + gamma(static_cast<double>(gemm.k) + 2, u.accumulator);
  return compare_rows("elementwise", gemm, operands, seed, [=](double magnitude, double value) {
    return share * magnitude + u.output * std::abs(value);
  });
}

Verification check_freivalds(const Gemm& gemm, const GemmOperands& operands, std::uint64_t seed) {
  const Roundoffs u = roundoffs(gemm.type, gemm.math);
  const auto k = static_cast<double>(gemm.k);
  const double share = 2 * u.input + gamma(k + 2, u.accumulator);
  const double random_share =
      std::sqrt(k + 2) * u.accumulator + (gemm.math == Math::tf32 ? u.input : 0);
  return freivalds(gemm, operands, seed, [=](const FreivaldsRow& row) {
    const double worst = share * row.magnitude + u.output * row.sum_c;
    const double likely =
        deviations *
        (random_share * std::abs(gemm.alpha) * row.norm_a * row.norm_b +
         u.accumulator * std::abs(gemm.beta) * row.norm_c_before + u.output * row.norm_c);
    return std::min(worst, likely) + deviations * row.own_deviation;
  });
}

void fill_precision_probe(const Gemm& gemm, std::uint64_t seed, std::span<std::byte> a,
                          std::span<std::byte> b) {
  fill(gemm.type, Values::signed_unit, random_bits(seed, 2), a);
  fill(gemm.type, Values::signed_unit, random_bits(seed, 3), b);
  thin_out(gemm, probe_depth, a);
}

Verification check_precision(const Gemm& gemm, const GemmOperands& operands, std::uint64_t seed) {
  const Roundoffs u = roundoffs(gemm.type, gemm.math);
  const auto length = static_cast<double>(std::min(gemm.k, probe_depth) + 2);
  const double share =
      deviations * std::sqrt(length) * u.accumulator + (gemm.math == Math::tf32 ? 2 * u.input : 0);
  return compare_rows("precision", gemm, operands, seed, [=](double magnitude, double value) {
    return share * magnitude + u.output * std::abs(value);
  });
}

}  // namespace breakeven
