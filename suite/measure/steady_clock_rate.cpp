// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/steady_clock_rate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace breakeven {
namespace {

constexpr double between_looks_ns = 5e6, idle_ns = 5e7;
constexpr double clock_tolerance = 0.015;
constexpr int enough_looks = 4;

bool alike_clocks(double a, double b) {
  return std::abs(a - b) <= clock_tolerance * b;
}

}  // namespace

std::optional<double> sm_clock_mhz(const Device& device) {
  std::array<Reading, 256> read;
  std::optional<double> lowest;
  for (const Reading& one : std::span(read).first(std::min(device.readings(read), read.size())))
    if (one.key.ends_with("sm_clock_mhz")) lowest = std::min(lowest.value_or(one.value), one.value);
  return lowest;
}

bool SteadyClockRate::reach(const std::function<void()>& work,
                            const std::function<std::optional<double>()>& mhz) {
  std::optional<double> before = mhz();
  if (!before) return true;
  const std::int64_t start = clock_.now();
  const auto spent = [&](std::int64_t since) { return static_cast<double>(clock_.now() - since); };
  for (int looks = 1; !stood_at_ || !alike_clocks(*before, *stood_at_);) {
    if (looks >= enough_looks && spent(start) >= idle_ns) break;
    if (spent(start) >= longest_) {
      longest_ = idle_ns;
      return false;
    }
    const std::int64_t begin = clock_.now();
    do work();
    while (spent(begin) < between_looks_ns);
    const std::optional<double> now = mhz();
    if (!now) return true;
    looks = alike_clocks(*now, *before) ? looks + 1 : 1;
    before = now;
  }
  stood_at_ = before;
  return true;
}

}  // namespace breakeven
