// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/pairs.hpp"

#include <algorithm>

#include "reports/statistics/visit_interval.hpp"

namespace breakeven {
namespace {

constexpr std::size_t enough_rounds = 3;

}  // namespace

std::vector<double> paired_ratios(const SweptVisits& base, const SweptVisits& other) {
  std::vector<double> ratios;
  const std::size_t bases = std::min(base.medians.size(), base.sweeps.size());
  const std::size_t others = std::min(other.medians.size(), other.sweeps.size());
  for (std::size_t i = 0, j = 0; i < bases && j < others;) {
    if (base.sweeps[i] == other.sweeps[j] && base.medians[i] > 0 && other.medians[j] > 0)
      ratios.push_back(other.medians[j] / base.medians[i]);
    const bool next_base = base.sweeps[i] <= other.sweeps[j];
    const bool next_other = other.sweeps[j] <= base.sweeps[i];
    i += next_base;
    j += next_other;
  }
  return ratios;
}

std::optional<PairedRatio> paired_ratio(std::span<const std::vector<double>> rounds, double level) {
  std::vector<double> medians;
  double low = 0, high = 0;
  for (const std::vector<double>& ratios : rounds) {
    if (ratios.empty()) continue;
    medians.push_back(median(ratios));
    if (medians.size() >= enough_rounds) continue;
    const auto interval = visit_interval(ratios, level);
    if (!interval) return std::nullopt;
    low = medians.size() == 1 ? interval->low : std::min(low, interval->low);
    high = std::max(high, interval->high);
  }
  if (medians.empty()) return std::nullopt;
  if (medians.size() < enough_rounds)
    return PairedRatio{geometric_mean(medians), low, high, medians.size()};
  const auto interval = geometric_mean_interval(medians, level);
  return PairedRatio{interval->mean, interval->low, interval->high, medians.size()};
}

}  // namespace breakeven
