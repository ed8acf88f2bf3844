// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/local_fit.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "reports/statistics/spread.hpp"

namespace breakeven {

std::optional<LocalFit> local_fit(const Finding& finding) {
  if (finding.kind != Finding::Kind::bracket) {
    return std::nullopt;
  }
  std::vector<std::pair<double, double>> points;
  for (const Probe& probe : finding.probes) {
    if (2 * probe.size >= finding.low() && probe.size <= 2 * finding.high() && probe.from_ns > 0) {
      points.emplace_back(std::log(static_cast<double>(probe.size)), probe.log_ratio);
    }
  }
  if (points.size() < 4) {
    return std::nullopt;
  }
  const auto n = static_cast<double>(points.size());
  double mean_x = 0, mean_y = 0;
  for (const auto& [x, y] : points) {
    mean_x += x / n;
    mean_y += y / n;
  }
  double sxx = 0, sxy = 0, syy = 0;
  for (const auto& [x, y] : points) {
    sxx += (x - mean_x) * (x - mean_x);
    sxy += (x - mean_x) * (y - mean_y);
    syy += (y - mean_y) * (y - mean_y);
  }
  const double slope = sxy / sxx;
  const double variance = std::max(0.0, syy - slope * sxy) / (n - 2);
  const double t = t_exceeded_with(0.025, n - 2);
  // The zero lies at mean_x + z. Fieller: all z with (mean_y + slope z)² ≤ t² Var(mean_y + slope
  // z).
  const double a = slope * slope - t * t * variance / sxx;
  if (a <= 0) {
    return std::nullopt;
  }
  const double b = mean_y * slope;
  const double c = mean_y * mean_y - t * t * variance / n;
  const double root = std::sqrt(std::max(0.0, b * b - a * c));
  return LocalFit{std::exp(mean_x - mean_y / slope), std::exp(mean_x + (-b - root) / a),
                  std::exp(mean_x + (-b + root) / a), slope, points.size()};
}

}  // namespace breakeven
