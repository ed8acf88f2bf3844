// SPDX-License-Identifier: Apache-2.0
#include "suite/cases/small_network.hpp"

#include <array>
#include <cmath>

#include "suite/verify/numbers.hpp"
#include "suite/verify/random.hpp"

namespace breakeven {

namespace {

std::vector<double> random_values(Type type, std::size_t count, double scale, std::uint64_t seed) {
  std::vector<std::byte> stored(count * sizeof(double));
  fill(Type::f64, Values::signed_unit, seed, stored);
  std::vector<double> values(count);
  widen(Type::f64, stored, values);
  for (double& value : values) value = rounded_to(type, scale * value);
  return values;
}

}  // namespace

SmallNetwork::SmallNetwork(Type type, std::size_t batch, std::uint64_t seed)
    : h1_(batch * hidden),
      h2_(batch * hidden),
      slopes_(batch * outputs),
      magnitudes_(batch * outputs) {
  const double scale = 1 / std::sqrt(static_cast<double>(hidden));
  x_ = random_values(type, batch, 1, random_bits(seed, 80));
  w1_ = random_values(type, hidden, 1, random_bits(seed, 81));
  w2_ = random_values(type, hidden * hidden, scale, random_bits(seed, 82));
  w3_ = random_values(type, outputs * hidden, scale, random_bits(seed, 83));
  b1_ = random_values(type, hidden, 1, random_bits(seed, 84));
  b2_ = random_values(type, hidden, scale, random_bits(seed, 85));

  constexpr double step = 1e-5;
  std::array<double, hidden> unused1, unused2, reach;
  std::array<double, outputs> y, above, below;
  for (std::size_t i = 0; i < batch; ++i) {
    double* h1 = &h1_[i * hidden];
    double* h2 = &h2_[i * hidden];
    forward(x_[i], h1, h2, y.data());
    forward(x_[i] + step, unused1.data(), unused2.data(), above.data());
    forward(x_[i] - step, unused1.data(), unused2.data(), below.data());
    for (std::size_t q = 0; q < hidden; ++q) {
      reach[q] = 0;
      for (std::size_t p = 0; p < hidden; ++p)
        reach[q] += std::abs(w2_[q * hidden + p]) * (1 - h1[p] * h1[p]) * std::abs(w1_[p]);
      reach[q] *= 1 - h2[q] * h2[q];
    }
    for (std::size_t o = 0; o < outputs; ++o) {
      slopes_[i * outputs + o] = (above[o] - below[o]) / (2 * step);
      double& magnitude = magnitudes_[i * outputs + o];
      for (std::size_t q = 0; q < hidden; ++q)
        magnitude += std::abs(w3_[o * hidden + q]) * reach[q];
    }
  }
}

void SmallNetwork::forward(double x, double* h1, double* h2, double* y) const {
  for (std::size_t p = 0; p < hidden; ++p) h1[p] = std::tanh(w1_[p] * x + b1_[p]);
  for (std::size_t q = 0; q < hidden; ++q) {
    double sum = b2_[q];
    for (std::size_t p = 0; p < hidden; ++p) sum += w2_[q * hidden + p] * h1[p];
    h2[q] = std::tanh(sum);
  }
  for (std::size_t o = 0; o < outputs; ++o) {
    y[o] = 0;
    for (std::size_t q = 0; q < hidden; ++q) y[o] += w3_[o * hidden + q] * h2[q];
  }
}

}  // namespace breakeven
