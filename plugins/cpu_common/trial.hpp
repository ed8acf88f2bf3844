// SPDX-License-Identifier: Apache-2.0
// Which of two ways to do the same work is faster, found by doing it.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

namespace breakeven::cpu {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

template <class Run>
double seconds_of(const Run& run, std::size_t times = 1) {
  const Stopwatch watch;
  for (std::size_t i = 0; i < times; ++i) run();
  return watch.seconds();
}

// Whether `other` takes less than 97 % of the time of `first`, which is `seconds` or nearly. Both
// take turns, and of each the shortest one counts, since what else a machine does makes work only
// longer.
template <class Other, class First>
bool is_faster(const Other& other, const First& first, double seconds) {
  constexpr double long_enough = 30e-6, gain = 0.97;
  const auto times = std::size_t(std::clamp(long_enough / seconds, 1.0, 2000.0));
  const int turns = seconds > 2e-3 ? 3 : 7;
  double least_other = std::numeric_limits<double>::max(), least_first = least_other;
  other();  // finds its memory and code
  for (int turn = 0; turn < turns; ++turn) {
    least_first = std::min(least_first, seconds_of(first, times));
    least_other = std::min(least_other, seconds_of(other, times));
    const double hopeless = turn == 0 ? 1.15 : 1.05;
    if (least_other > hopeless * least_first) return false;
  }
  return least_other < gain * least_first;
}

}  // namespace breakeven::cpu
