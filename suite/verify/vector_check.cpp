// SPDX-License-Identifier: Apache-2.0
#include "suite/verify/vector_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "suite/verify/gemm_operands.hpp"
#include "suite/verify/numbers.hpp"

namespace breakeven {

namespace {

struct Expected {
  double value, bound;
};

// What the type cannot hold as a normal number may be lost.
double underflow(Type type) {
  switch (type) {
    case Type::f64:
      return std::numeric_limits<double>::min();
    case Type::f16:
      return 0x1p-14;
    case Type::f32:
    case Type::bf16:
      return std::numeric_limits<float>::min();
  }
  return 0;
}

// `expect(x)` gives what one element should be, from those of the inputs.
template <std::size_t inputs, class Expect>
Verification check_elements(Type type,
                            const std::array<std::span<const std::byte>, inputs>& operands,
                            std::span<const std::byte> out, Expect expect) {
  constexpr std::size_t most = 4096;
  const std::size_t count = out.size() / bytes_of(type), bytes = bytes_of(type);
  std::array<std::vector<double>, inputs> x;
  for (auto& values : x) values.resize(most);
  std::vector<double> computed(most);

  Findings findings("elementwise");
  for (std::size_t begin = 0; begin < count; begin += most) {
    const std::size_t some = std::min(most, count - begin);
    for (std::size_t p = 0; p < inputs; ++p)
      widen(type, operands[p].subspan(begin * bytes, some * bytes), std::span(x[p]).first(some));
    widen(type, out.subspan(begin * bytes, some * bytes), std::span(computed).first(some));
    for (std::size_t i = 0; i < some; ++i) {
      std::array<double, inputs> values;
      for (std::size_t p = 0; p < inputs; ++p) values[p] = x[p][i];
      const Expected expected = expect(values);
      if (findings.note(std::abs(computed[i] - expected.value), expected.bound + underflow(type)))
        findings.explain(fmt::format("out[{}] is {}, expected {} within {:.2g}", begin + i,
                                     computed[i], expected.value, expected.bound));
    }
  }
  return std::move(findings).result();
}

// For f64, what it is compared with is rounded as well.
double roundoff_of_comparison(Type type) {
  return unit_roundoff(type) * (type == Type::f64 ? 2 : 1);
}

}  // namespace

Type norm_type(Type type) {
  return bytes_of(type) == 2 ? Type::f32 : type;
}

Verification check_norm(Type type, std::size_t n, std::span<const std::byte> x,
                        std::span<const std::byte> out) {
  const Type out_type = norm_type(type);
  const double u = roundoff_of_comparison(out_type);
  const auto length = static_cast<double>(n);
  const double share = std::min(gamma(length + 2, u) / 2, 8 * std::sqrt(length) * u) + 2 * u;

  Findings findings("elementwise");
  std::vector<double> values(n);
  for (std::size_t i = 0; i < out.size() / bytes_of(out_type); ++i) {
    widen(type, x.subspan(i * n * bytes_of(type), n * bytes_of(type)), values);
    double sum = 0;
    for (const double value : values) sum += value * value;
    const double expected = std::sqrt(sum), computed = element(out_type, out, i);
    if (findings.note(std::abs(computed - expected), share * expected))
      findings.explain(fmt::format("norm[{}] is {}, expected {} within {:.2g}", i, computed,
                                   expected, share * expected));
  }
  return std::move(findings).result();
}

Verification check_multiply_add(Type type, std::span<const std::byte> a,
                                std::span<const std::byte> b, std::span<const std::byte> c,
                                std::span<const std::byte> out) {
  const double share = 1.01 * roundoff_of_comparison(type);
  return check_elements<3>(type, {a, b, c}, out, [=](const std::array<double, 3>& x) {
    const double product = x[0] * x[1], value = std::fma(x[0], x[1], x[2]);
    return Expected{value, share * (std::abs(product) + std::abs(value))};
  });
}

Verification check_tanh(Type type, std::span<const std::byte> x, std::span<const std::byte> out) {
  const double share = 8 * unit_roundoff(type);
  return check_elements<1>(type, {x}, out, [=](const std::array<double, 1>& value) {
    const double expected = std::tanh(value[0]);
    return Expected{expected, share * std::abs(expected)};
  });
}

Verification check_tanh_gradient(Type type, std::span<const std::byte> h,
                                 std::span<const std::byte> d, std::span<const std::byte> out) {
  const double share = 1.01 * roundoff_of_comparison(type);
  return check_elements<2>(type, {h, d}, out, [=](const std::array<double, 2>& x) {
    const double square = x[0] * x[0], slope = std::fma(-x[0], x[0], 1.0);
    return Expected{x[1] * slope, share * std::abs(x[1]) * (square + 3 * std::abs(slope))};
  });
}

Verification check_copy(std::span<const std::byte> from, std::span<const std::byte> to,
                        std::size_t first) {
  Findings findings("bytes");
  findings.note(from.size() == to.size() ? 0 : 1, 0);
  if (from.size() != to.size()) {
    findings.explain(fmt::format("{} bytes arrived of {}", to.size(), from.size()));
  } else if (!from.empty() && std::memcmp(from.data(), to.data(), from.size()) != 0) {
    const auto place = static_cast<std::size_t>(
        std::mismatch(from.begin(), from.end(), to.begin()).first - from.begin());
    findings.note(1, 0);
    findings.explain(fmt::format("byte {} is 0x{:02x}, expected 0x{:02x}", first + place,
                                 std::to_integer<int>(to[place]),
                                 std::to_integer<int>(from[place])));
  }
  return std::move(findings).result();
}

}  // namespace breakeven
