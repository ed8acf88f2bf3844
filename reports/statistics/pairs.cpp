// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/pairs.hpp"

#include <algorithm>
#include <utility>

#include "reports/statistics/visit_interval.hpp"

namespace breakeven {
namespace {

constexpr std::size_t enough = 3;  // observations

std::size_t process_of(const SweptVisits& visits, std::size_t i) {
  return i < visits.processes.size() ? visits.processes[i] : 0;
}

std::vector<double> observations_of(std::span<const PairedRatios> rounds) {
  std::vector<double> of_rounds, of_processes;
  for (const PairedRatios& round : rounds) {
    std::vector<double> medians;
    for (const std::vector<double>& of_process : round) medians.push_back(median(of_process));
    if (medians.empty()) continue;
    of_rounds.push_back(geometric_mean(medians));
    of_processes.insert(of_processes.end(), medians.begin(), medians.end());
  }
  return of_rounds.size() >= enough ? of_rounds : of_processes;
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

std::optional<Effect> paired_effect(std::span<const PairedRatios> rounds) {
  const std::vector<double> observations = observations_of(rounds);
  return observations.size() < enough ? std::nullopt : log_ratio_effect(observations);
}

std::optional<PairedRatio> paired_ratio(std::span<const PairedRatios> rounds, double level) {
  const std::vector<double> observations = observations_of(rounds);
  if (observations.size() >= enough) {
    const auto interval = geometric_mean_interval(observations, level);
    return PairedRatio{interval->mean, interval->low, interval->high, observations.size()};
  }
  std::vector<double> all;
  for (const PairedRatios& round : rounds)
    for (const auto& of_process : round)
      all.insert(all.end(), of_process.begin(), of_process.end());
  const auto interval = visit_interval(all, level);
  if (!interval) return std::nullopt;
  return PairedRatio{interval->median, interval->low, interval->high, observations.size()};
}

}  // namespace breakeven
