// SPDX-License-Identifier: Apache-2.0
// How often what a case compares is measured: once before each visit, so that a moment in which the
// machine does something else spoils one turn and not the comparison.
#pragma once

#include <cstddef>

namespace breakeven {

class Turns {
 public:
  explicit Turns(std::size_t fewest) : fewest_(fewest) {}

  // False where there are enough, or where they have taken two seconds and there are the fewest.
  bool wanted() const noexcept {
    return taken_ < fewest_ || (taken_ < most && spent_ns_ < patience_ns);
  }
  bool wants_more() const noexcept { return taken_ < fewest_; }
  void add(double ns) noexcept {
    ++taken_;
    spent_ns_ += ns;
  }

 private:
  static constexpr std::size_t most = 11;
  static constexpr double patience_ns = 2e9;

  std::size_t fewest_, taken_ = 0;
  double spent_ns_ = 0;
};

}  // namespace breakeven
