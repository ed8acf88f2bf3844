// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/pairs.hpp"

#include <algorithm>
#include <utility>

#include "reports/statistics/visit_interval.hpp"

namespace breakeven {
namespace {

constexpr std::size_t enough_processes = 3;

std::size_t process_of(const SweptVisits& visits, std::size_t i) {
  return i < visits.processes.size() ? visits.processes[i] : 0;
}

}  // namespace

PairedRatios paired_ratios(const SweptVisits& base, const SweptVisits& other) {
  PairedRatios ratios;
  std::pair<std::size_t, std::size_t> last;
  const std::size_t bases = std::min(base.medians.size(), base.sweeps.size());
  const std::size_t others = std::min(other.medians.size(), other.sweeps.size());
  for (std::size_t i = 0, j = 0; i < bases && j < others;) {
    if (base.sweeps[i] == other.sweeps[j] && base.medians[i] > 0 && other.medians[j] > 0) {
      const std::pair processes(process_of(base, i), process_of(other, j));
      if (ratios.empty() || processes != last) ratios.emplace_back();
      last = processes;
      ratios.back().push_back(other.medians[j] / base.medians[i]);
    }
    const bool next_base = base.sweeps[i] <= other.sweeps[j];
    const bool next_other = other.sweeps[j] <= base.sweeps[i];
    i += next_base;
    j += next_other;
  }
  return ratios;
}

std::optional<PairedRatio> paired_ratio(std::span<const std::vector<double>> ratios, double level) {
  std::vector<double> medians, all;
  for (const std::vector<double>& of_process : ratios) {
    if (of_process.empty()) continue;
    medians.push_back(median(of_process));
    all.insert(all.end(), of_process.begin(), of_process.end());
  }
  if (medians.size() >= enough_processes) {
    const auto interval = geometric_mean_interval(medians, level);
    return PairedRatio{interval->mean, interval->low, interval->high, medians.size()};
  }
  const auto interval = visit_interval(all, level);
  if (!interval) return std::nullopt;
  return PairedRatio{interval->median, interval->low, interval->high, medians.size()};
}

}  // namespace breakeven
