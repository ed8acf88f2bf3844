// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/energy_stretch.hpp"

namespace breakeven {
namespace {

constexpr double metered_ns = 2e9, standstill_ns = 1e9;

}  // namespace

std::optional<MeteredEnergy> meter_energy(const std::function<double()>& work,
                                          const std::function<std::optional<double>()>& joules,
                                          Clock& clock) {
  // Works for `least` and until the counter has moved after that.
  const auto until_it_moves = [&](double least) -> std::optional<MeteredEnergy> {
    const std::int64_t start = clock.now();
    std::optional<double> before = joules();
    MeteredEnergy seen;
    while (before) {
      seen.repetitions += work();
      const double spent = static_cast<double>(clock.now() - start);
      const std::optional<double> now = joules();
      if (!now || (*now == *before && spent > least + standstill_ns)) return std::nullopt;
      seen.joules = *now;
      if (spent >= least && *now != *before) return seen;
      if (spent < least) before = now;
    }
    return std::nullopt;
  };
  const auto begin = until_it_moves(0);
  if (!begin) return std::nullopt;
  auto whole = until_it_moves(metered_ns);
  if (whole) whole->joules -= begin->joules;
  return whole;
}

}  // namespace breakeven
