// SPDX-License-Identifier: Apache-2.0
#include "suite/cases/small_network.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace breakeven {
namespace {

// dy/dx = W3 (1 - h2^2) W2 (1 - h1^2) W1 by the chain rule, against the differences that products
// on a device are held to.
TEST(SmallNetwork, DifferencesAgreeWithTheChainRule) {
  constexpr std::size_t hidden = SmallNetwork::hidden;
  const SmallNetwork network(Type::f32, 3, 11);
  for (std::size_t sample = 0; sample < 3; ++sample)
    for (std::size_t output = 0; output < SmallNetwork::outputs; ++output) {
      double slope = 0;
      for (std::size_t q = 0; q < hidden; ++q) {
        double inner = 0;
        for (std::size_t p = 0; p < hidden; ++p) {
          const double h1 = network.h1()[sample * hidden + p];
          inner += network.w2()[q * hidden + p] * (1 - h1 * h1) * network.w1()[p];
        }
        const double h2 = network.h2()[sample * hidden + q];
        slope += network.w3()[output * hidden + q] * (1 - h2 * h2) * inner;
      }
      const double allowed = SmallNetwork::difference_error * network.magnitude(sample, output);
      EXPECT_NEAR(network.slope(sample, output), slope, allowed) << sample << " " << output;
      EXPECT_GE(network.magnitude(sample, output), std::abs(slope));
    }
}

}  // namespace
}  // namespace breakeven
