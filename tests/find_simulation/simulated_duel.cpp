// SPDX-License-Identifier: Apache-2.0
#include "tests/find_simulation/simulated_duel.hpp"

#include <cmath>

namespace breakeven {
namespace {

constexpr double seconds_to_enter = 0.02;
constexpr double seconds_of_a_pair = 0.012;  // two blocks of 5 ms and the change of sides

}  // namespace

void SimulatedDuel::enter(std::size_t size) {
  size_ = size;
  state_ = contest_.noise * normal_(random_);
  spent_ += seconds_to_enter;
}

// First-order autoregressive with a constant spread: the noise of one block is partly that of the
// block before.
double SimulatedDuel::next_noise() {
  const double r = contest_.correlation;
  state_ = r * state_ + std::sqrt(1 - r * r) * contest_.noise * normal_(random_);
  return state_;
}

Pair SimulatedDuel::block() {
  spent_ += seconds_of_a_pair;
  const double size = static_cast<double>(size_);
  Pair pair;
  pair.from = 100 + size * size;
  pair.to = pair.from * std::exp(contest_.log_ratio(size) + next_noise());
  std::uniform_real_distribution<double> chance(0, 1);
  if (chance(random_) < contest_.outliers) {
    (chance(random_) < 0.5 ? pair.from : pair.to) *= 1.5;
  }
  return pair;
}

}  // namespace breakeven
