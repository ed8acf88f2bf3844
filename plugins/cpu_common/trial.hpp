// SPDX-License-Identifier: Apache-2.0
// Which of two ways to do the same work is faster, found by doing it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace breakeven::cpu {

// The first place in `memory` that lies in its page as `like` does in its own, less than a page
// behind: what is as far from other operands pushes them out of the first cache as much.
inline constexpr std::size_t page_bytes = 4096;
inline std::byte* placed_like(const void* like, void* memory) {
  const auto to = reinterpret_cast<std::uintptr_t>(like);
  const auto from = reinterpret_cast<std::uintptr_t>(memory);
  return static_cast<std::byte*>(memory) + (to - from) % page_bytes;
}

// What is tried: products that take no longer, on operands of no more bytes in all; and no trial
// begins after so many seconds.
inline constexpr double most_operations = 3e9, most_seconds = 0.02, most_seconds_of_all = 0.25;
inline constexpr std::size_t most_bytes = std::size_t(96) << 20;

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

// Of one run, nearly: what else the machine does may hold up some.
template <class Run>
double shortest_seconds_of(const Run& run) {
  double least = seconds_of(run);
  for (int i = 0; i < 4 && least < 2e-3; ++i) least = std::min(least, seconds_of(run));
  return std::max(least, 1e-9);
}

// Whether `other` takes less than 97 % of the time of `first`, which is `seconds` or nearly. Both
// take turns, and of each the shortest one counts, since what else a machine does makes work only
// longer; but three of four turns have to agree.
template <class Other, class First>
bool is_faster(const Other& other, const First& first, double seconds) {
  constexpr double long_enough = 30e-6, gain = 0.97;
  const auto times = std::size_t(std::clamp(long_enough / seconds, 1.0, 2000.0));
  const int turns = seconds > 2e-3 ? 3 : 7;
  double least_other = std::numeric_limits<double>::max(), least_first = least_other;
  int won = 0;
  // The first run finds its memory and code, and the caches as the other one left them.
  const auto turn_of = [times](const auto& run) {
    run();
    return seconds_of(run, times);
  };
  for (int turn = 0; turn < turns; ++turn) {
    const double of_first = turn_of(first), of_other = turn_of(other);
    least_first = std::min(least_first, of_first), least_other = std::min(least_other, of_other);
    won += of_other < of_first ? 1 : 0;
    const double hopeless = turn == 0 ? 1.15 : 1.05;
    if (least_other > hopeless * least_first) return false;
  }
  return least_other < gain * least_first && 4 * won >= 3 * turns;
}

}  // namespace breakeven::cpu
