// SPDX-License-Identifier: Apache-2.0
// Where a series of measurements went from one level to another.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

namespace breakeven {

struct ChangePoint {
  std::size_t first = 0;  // of the new level
  double p_value = 1;
};

// Divides a series at the greatest difference of mean ranks, in units of its standard error, over
// all splits of all seeded intervals (Kovács et al., Biometrika 110, 2023), as long as permutations
// of the series show one as great less often than `significance`. Ranks make the permutations those
// of 1 to n, so that one table serves all series of a length, p-values become as small as many
// series need, and a single strange value moves nothing.
class ChangePoints {
 public:
  static constexpr std::size_t fewest_values = 8;

  // No change smaller than `least_step`, of the medians on both sides, is told.
  ChangePoints(double significance, double least_step)
      : significance_(significance), least_step_(least_step) {}

  // In order. The values are independent of one another where there is no change.
  std::vector<ChangePoint> of(std::span<const double> values);

 private:
  double p_value(std::size_t values, double statistic);
  void divide(std::span<const double> values, std::size_t begin, std::size_t end,
              std::vector<ChangePoint>& found);
  void merge(std::span<const double> values, std::vector<ChangePoint>& found) const;

  double significance_, least_step_;
  std::map<std::size_t, std::vector<double>> without_change_;  // statistics by length, ascending
};

}  // namespace breakeven
