// SPDX-License-Identifier: Apache-2.0
// The network of `mlp-jacobian` on the host, in float64: y = W3 tanh(W2 tanh(W1 x + b1) + b2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <breakeven/plugin.hpp>

namespace breakeven {

class SmallNetwork {
 public:
  static constexpr std::size_t hidden = 20, outputs = 400;

  // What a central difference of step 1e-5 may be off, as a share of the magnitude.
  static constexpr double difference_error = 1e-8;

  // Weights and inputs are values that `type` can hold.
  SmallNetwork(Type type, std::size_t batch, std::uint64_t seed);

  // Row-major: 20×1, 20×20, 400×20, and activations batch×20.
  const std::vector<double>& w1() const { return w1_; }
  const std::vector<double>& w2() const { return w2_; }
  const std::vector<double>& w3() const { return w3_; }
  const std::vector<double>& h1() const { return h1_; }
  const std::vector<double>& h2() const { return h2_; }

  // dy[output]/dx of a sample, by central differences.
  double slope(std::size_t sample, std::size_t output) const {
    return slopes_[sample * outputs + output];
  }
  // The same sum with absolute values: what rounding errors are measured by.
  double magnitude(std::size_t sample, std::size_t output) const {
    return magnitudes_[sample * outputs + output];
  }

 private:
  // Outputs for one input; the activations go where they are wanted.
  void forward(double x, double* h1, double* h2, double* y) const;

  std::vector<double> x_, w1_, w2_, w3_, b1_, b2_, h1_, h2_;
  std::vector<double> slopes_, magnitudes_;
};

}  // namespace breakeven
