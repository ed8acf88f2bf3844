// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/spread.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <vector>

#include "reports/statistics/order_statistics.hpp"

namespace breakeven {
namespace {

constexpr double normal_from = 1e6;  // degrees of freedom: Student's t is normal

// The x with trigamma(x) = y, by bisection of its logarithm; trigamma falls.
double inverse_trigamma(double y) {
  double low = std::log(1e-3), high = std::log(normal_from);
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (boost::math::trigamma(std::exp(middle)) > y ? low : high) = middle;
  }
  return std::exp(low);
}

}  // namespace

double biweight_variance(std::span<const double> values) {
  constexpr double reach = 9;  // in median absolute deviations
  const double centre = median(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) {
    distances.push_back(std::abs(value - centre));
  }
  const double scale = reach * median(distances);
  if (scale == 0) {
    return 0;
  }
  double squares = 0, weights = 0;
  for (const double distance : distances) {
    const double u = std::pow(distance / scale, 2);
    if (u < 1) {
      squares += distance * distance * std::pow(1 - u, 4);
      weights += (1 - u) * (1 - 5 * u);
    }
  }
  return static_cast<double>(values.size()) * squares /
         (std::max(weights, 1.0) * std::max(weights - 1, 1.0));
}

double biweight_freedom(std::size_t n) {
  return 0.8 * static_cast<double>(n - 1);
}

double PriorVariance::moderated(double own_variance, double own_freedom) const {
  return freedom + own_freedom == 0
             ? own_variance
             : (freedom * variance + own_freedom * own_variance) / (freedom + own_freedom);
}

PriorVariance prior_variance(std::span<const double> variances, std::span<const double> freedoms) {
  std::vector<double> logs;
  double expected_scatter = 0;
  for (std::size_t i = 0; i < variances.size(); ++i) {
    if (variances[i] > 0 && freedoms[i] > 0) {
      const double half = freedoms[i] / 2;
      logs.push_back(std::log(variances[i]) - boost::math::digamma(half) + std::log(half));
      expected_scatter += boost::math::trigamma(half);
    }
  }
  if (logs.size() < 3) {
    return {};
  }
  const auto n = static_cast<double>(logs.size());
  double mean = 0, scatter = 0;
  for (const double value : logs) {
    mean += value / n;
  }
  for (const double value : logs) {
    scatter += (value - mean) * (value - mean) / (n - 1);
  }
  const double left = scatter - expected_scatter / n;
  if (left <= boost::math::trigamma(normal_from / 2)) {
    return {std::exp(mean), normal_from};
  }
  const double half = inverse_trigamma(left);
  return {std::exp(mean + boost::math::digamma(half) - std::log(half)), 2 * half};
}

double t_exceeded_with(double probability, double degrees_of_freedom) {
  if (degrees_of_freedom >= normal_from) {
    return boost::math::quantile(boost::math::complement(boost::math::normal(), probability));
  }
  return boost::math::quantile(
      boost::math::complement(boost::math::students_t(degrees_of_freedom), probability));
}

std::optional<TwoHeaps> two_heaps(std::span<const double> values) {
  constexpr std::size_t fewest = 4;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto n = sorted.size();
  const auto smaller = std::max(fewest, (n + 3) / 4);
  if (2 * smaller > n) {
    return std::nullopt;
  }
  // From the middle, so that squares of small differences are not lost.
  const double middle = sorted[n / 2];
  std::vector<double> sums{0}, squares{0};
  for (const double value : sorted) {
    sums.push_back(sums.back() + value - middle);
    squares.push_back(squares.back() + (value - middle) * (value - middle));
  }
  TwoHeaps best;
  double least = INFINITY;
  for (auto low = smaller; low <= n - smaller; ++low) {
    const auto below = static_cast<double>(low), above = static_cast<double>(n - low);
    const double mean_below = sums[low] / below, mean_above = (sums[n] - sums[low]) / above;
    const double within =
        squares[n] - below * mean_below * mean_below - above * mean_above * mean_above;
    if (within < least) {
      least = within;
      best = {mean_below + middle, mean_above + middle, (sorted[low - 1] + sorted[low]) / 2};
    }
  }
  // The best split of one normal heap is 2.65 standard deviations wide, of few values more; that of
  // an even spread is 3.46.
  const auto count = static_cast<double>(n);
  const double spread = std::sqrt(std::max(0.0, least) / (count - 2));
  const double needed = std::max(4.0, 2.65 + 25 / std::pow(count, 0.7));
  return best.high - best.low > needed * spread ? std::optional(best) : std::nullopt;
}

}  // namespace breakeven
