// SPDX-License-Identifier: Apache-2.0
#include "tests/find_simulation/simulated_pairs.hpp"

#include <cmath>

namespace breakeven {
namespace {

constexpr double seconds_to_enter = 0.02;
constexpr double seconds_of_a_pair = 0.012;  // two blocks of 5 ms and the change of sides

}  // namespace

void SimulatedPairs::enter(std::size_t size) {
  size_ = size;
  state_ = truth_.noise * normal_(random_);
  spent_ += seconds_to_enter;
}

// First-order autoregressive with a constant spread: the noise of one block is partly that of the
// block before.
double SimulatedPairs::next_noise() {
  const double r = truth_.correlation;
  state_ = r * state_ + std::sqrt(1 - r * r) * truth_.noise * normal_(random_);
  return state_;
}

Pair SimulatedPairs::block() {
  spent_ += seconds_of_a_pair;
  const double size = static_cast<double>(size_);
  Pair pair;
  pair.from = 100 + size * size;
  pair.to = pair.from * std::exp(truth_.log_ratio(size) + next_noise());
  std::uniform_real_distribution<double> chance(0, 1);
  if (chance(random_) < truth_.outliers) {
    (chance(random_) < 0.5 ? pair.from : pair.to) *= 1.5;
  }
  return pair;
}

}  // namespace breakeven
