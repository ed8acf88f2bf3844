// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "reports/statistics/effect.hpp"
#include "reports/statistics/visit_interval.hpp"

namespace breakeven {
namespace {

constexpr std::size_t enough_rounds = 3;
constexpr std::size_t usual_rounds = 5;

double deviation_of_logarithms(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double center = std::log(geometric_mean(values));
  double squares = 0;
  for (const double value : values) squares += std::pow(std::log(value) - center, 2);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace

MergedRounds merge_rounds(std::span<const std::vector<double>> visit_medians) {
  std::vector<double> medians;
  MergedRounds merged;
  bool all_have_intervals = true;
  for (const std::vector<double>& visits : visit_medians) {
    if (visits.empty()) continue;
    medians.push_back(median(visits));
    const auto interval = visit_interval(visits);
    all_have_intervals = all_have_intervals && interval;
    if (!all_have_intervals) continue;
    merged.low_ns = medians.size() == 1 ? interval->low : std::min(merged.low_ns, interval->low);
    merged.high_ns = std::max(merged.high_ns, interval->high);
  }
  if (medians.empty()) throw std::invalid_argument("merge_rounds: no round has a visit");
  merged.rounds = medians.size();
  merged.median_ns = median(medians);
  merged.between_rounds = deviation_of_logarithms(medians);
  if (medians.size() < enough_rounds) {
    merged.caution =
        fmt::format("{} {}: the interval says nothing about another process; use --rounds {}",
                    medians.size(), medians.size() == 1 ? "round" : "rounds", usual_rounds);
    if (!all_have_intervals) merged.low_ns = merged.high_ns = 0;
    return merged;
  }
  const auto interval = geometric_mean_interval(medians);
  // The median of the rounds and their mean differ where one round is far off.
  merged.low_ns = std::min(interval->low, merged.median_ns);
  merged.high_ns = std::max(interval->high, merged.median_ns);
  return merged;
}

}  // namespace breakeven
