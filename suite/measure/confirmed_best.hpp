// SPDX-License-Identifier: Apache-2.0
// The best of several passes at a ceiling. Other load on the machine comes in stretches, which
// spoil whole passes: the best is believed once the one next to it agrees with it.
#pragma once

#include <algorithm>

namespace breakeven {

class ConfirmedBest {
 public:
  void saw(double rate) noexcept {
    second_ = std::max(second_, std::min(rate, best_));
    best_ = std::max(best_, rate);
  }
  double value() const noexcept { return best_; }
  bool is_confirmed() const noexcept { return best_ > 0 && second_ >= (1 - agreement) * best_; }

 private:
  static constexpr double agreement = 0.02;

  double best_ = 0, second_ = 0;
};

}  // namespace breakeven
