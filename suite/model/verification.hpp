// SPDX-License-Identifier: Apache-2.0
// What a check found.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace breakeven {

struct Verification {
  bool passed = false;
  std::string method;    // `exact+elementwise+freivalds`
  double error = 0;      // largest error found, as a share of its bound
  double tolerance = 1;  // the largest share that passes
  std::string message;   // where and how it failed: `c[3,17] is 0.5, expected 0.25`
};

// Both must pass: keeps the first failure, else the larger error; joins the methods once each.
Verification both(Verification first, const Verification& second);

// Starts a finding that has passed so far; `note` adds one comparison to it.
class Findings {
 public:
  explicit Findings(std::string method);

  // An error of `size` where `bound` is allowed. NaN fails. True: this is the first failure, to be
  // explained.
  bool note(double size, double bound) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const bool within = size <= bound && size < infinity;
    const double share = size == 0 ? 0 : size / bound;
    found_.error = std::max(found_.error, share >= 0 ? share : infinity);
    return !within && std::exchange(found_.passed, false);
  }
  void explain(std::string message) { found_.message = std::move(message); }
  Verification result() && { return std::move(found_); }

 private:
  Verification found_;
};

}  // namespace breakeven
