// SPDX-License-Identifier: Apache-2.0
// Two backends made of a formula and noise, whose winner at every size is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>

#include "reports/break_even/finding.hpp"
#include "reports/break_even/pair_source.hpp"

namespace breakeven {

struct Truth {
  std::function<double(double size)> log_ratio;  // ln(t_to / t_from), without noise
  double noise = 0.02;                           // standard deviation of a block's log ratio
  double correlation = 0;                        // of neighbouring blocks
  double outliers = 0;                           // share of blocks where one side takes half more
};

class SimulatedPairs final : public PairSource {
 public:
  SimulatedPairs(Truth truth, std::uint64_t seed) : truth_(std::move(truth)), random_(seed) {}

  void enter(std::size_t size) override;
  Pair block() override;
  double spent() const override { return spent_; }

 private:
  double next_noise();

  Truth truth_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::size_t size_ = 0;
  double state_ = 0;
  double spent_ = 0;
};

}  // namespace breakeven
