// SPDX-License-Identifier: Apache-2.0
#include "suite/verify/vector_operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "suite/verify/numbers.hpp"
#include "suite/verify/vector_check.hpp"

namespace breakeven {

namespace {

template <class One>
std::optional<Type> type_of(const AnyOperation& operation) {
  const One* const one = operation.as<One>();
  return one ? std::optional(one->type) : std::nullopt;
}

using Slices = std::span<const Slice>;
using Operands = VectorOperation::Operands;
using Result = std::span<const std::byte>;

// |error| <= min(n u sum of sizes, 8 u sqrt(n sum of squares)) + 2 u |sum|: the first where
// rounding errors all go one way, the second eight times what they come to where they do not.
Verification check_sum(Type type, std::size_t n, std::span<const std::byte> x, Result out) {
  const Type out_type = norm_type(type);
  const double u = unit_roundoff(out_type) * (out_type == Type::f64 ? 2 : 1);
  Findings findings("elementwise");
  std::vector<double> values(n);
  for (std::size_t i = 0; i < out.size() / bytes_of(out_type); ++i) {
    widen(type, x.subspan(i * n * bytes_of(type), n * bytes_of(type)), values);
    double sum = 0, size = 0, squares = 0;
    for (const double value : values) {
      sum += value;
      size += std::abs(value);
      squares += value * value;
    }
    const auto length = static_cast<double>(n);
    const double bound =
        std::min(length * u * size, 8 * u * std::sqrt(length * squares)) + 2 * u * std::abs(sum);
    const double computed = element(out_type, out, i);
    if (findings.note(std::abs(computed - sum), bound))
      findings.explain(
          fmt::format("sum[{}] is {}, expected {} within {:.2g}", i, computed, sum, bound));
  }
  return std::move(findings).result();
}

}  // namespace

Type VectorOperation::type_of_result(Type type) const {
  return reduces ? norm_type(type) : type;
}

std::span<const VectorOperation> vector_operations() {
  static const std::vector<VectorOperation> all = {
      {.name = "multiply-add",
       .description = "multiply-add",
       .meaning = "out = a b + c, elementwise",
       .inputs = 3,
       .flops = 2,
       .make = [](Type type, std::size_t n, std::size_t, Slices in, const Slice& out)
           -> AnyOperation { return MultiplyAdd{type, n, in[0], in[1], in[2], out}; },
       .check = [](Type type, std::size_t, Operands in,
                   Result out) { return check_multiply_add(type, in[0], in[1], in[2], out); },
       .type_of = type_of<MultiplyAdd>},
      {.name = "tanh",
       .description = "tanh",
       .meaning = "out = tanh(x), elementwise",
       .make = [](Type type, std::size_t n, std::size_t, Slices in,
                  const Slice& out) -> AnyOperation {
         return Tanh{type, n, in[0], out};
       },
       .check = [](Type type, std::size_t, Operands in,
                   Result out) { return check_tanh(type, in[0], out); },
       .type_of = type_of<Tanh>},
      {.name = "tanh-gradient",
       .description = "the gradient of tanh",
       .meaning = "out = d (1 - h h), elementwise",
       .inputs = 2,
       .flops = 3,
       .make = [](Type type, std::size_t n, std::size_t, Slices in,
                  const Slice& out) -> AnyOperation {
         return TanhGradient{type, n, in[0], in[1], out};
       },
       .check = [](Type type, std::size_t, Operands in,
                   Result out) { return check_tanh_gradient(type, in[0], in[1], out); },
       .type_of = type_of<TanhGradient>},
      {.name = "norm",
       .description = "a norm",
       .meaning = "out[i] = sqrt(sum of squares of the n elements of x_i)",
       .flops = 2,
       .reduces = true,
       .make = [](Type type, std::size_t n, std::size_t batch, Slices in,
                  const Slice& out) -> AnyOperation {
         return Norm{type, n, batch, in[0], out};
       },
       .check = [](Type type, std::size_t n, Operands in,
                   Result out) { return check_norm(type, n, in[0], out); },
       .type_of = type_of<Norm>},
      {.name = "sum",
       .description = "a sum",
       .meaning = "out[i] = sum of the n elements of x_i",
       .flops = 1,
       .reduces = true,
       .make = [](Type type, std::size_t n, std::size_t batch, Slices in,
                  const Slice& out) -> AnyOperation {
         return Sum{type, n, batch, in[0], out};
       },
       .check = [](Type type, std::size_t n, Operands in,
                   Result out) { return check_sum(type, n, in[0], out); },
       .type_of = type_of<Sum>},
  };
  return all;
}

}  // namespace breakeven
