// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/effect.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <random>

namespace breakeven {
namespace {

constexpr double normal_quantile_of_power = 0.8416212335729143;  // of 0.8
constexpr std::size_t most_relabellings = 200'000;

struct LogSample {
  double mean = 0;
  double squared_error = 0;  // of the mean: variance / n
  double n = 0;
};

LogSample log_sample(std::span<const double> values) {
  LogSample sample;
  sample.n = static_cast<double>(values.size());
  for (const double value : values) {
    sample.mean += std::log(value) / sample.n;
  }
  double squares = 0;
  for (const double value : values) {
    squares += std::pow(std::log(value) - sample.mean, 2);
  }
  sample.squared_error = squares / (sample.n - 1) / sample.n;
  return sample;
}

double t_quantile(double degrees_of_freedom, double p) {
  return boost::math::quantile(boost::math::students_t_distribution<double>(degrees_of_freedom), p);
}

double two_sided_p(double degrees_of_freedom, double t) {
  const boost::math::students_t_distribution<double> distribution(degrees_of_freedom);
  return 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(t)));
}

Effect effect_of(double log_ratio, double squared_error, double freedom, double level) {
  Effect effect;
  effect.ratio = effect.low = effect.high = std::exp(log_ratio);
  effect.degrees_of_freedom = freedom;
  if (squared_error == 0) {  // a clock that always says the same: nothing is left to chance
    effect.p_value = log_ratio == 0 ? 1 : 0;
    return effect;
  }
  effect.standard_error = std::sqrt(squared_error);
  const double half = t_quantile(freedom, (1 + level) / 2) * effect.standard_error;
  effect.low = std::exp(log_ratio - half);
  effect.high = std::exp(log_ratio + half);
  effect.p_value = two_sided_p(freedom, log_ratio / effect.standard_error);
  return effect;
}

// C(n, k), or `limit` + 1 where it is larger than that.
std::size_t choices(std::size_t n, std::size_t k, std::size_t limit) {
  double result = 1;
  for (std::size_t i = 1; i <= k; ++i) {
    result = result * static_cast<double>(n - k + i) / static_cast<double>(i);
    if (result > static_cast<double>(limit)) {
      return limit + 1;
    }
  }
  return static_cast<std::size_t>(std::llround(result));
}

}  // namespace

double geometric_mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) {
    sum += std::log(value);
  }
  return std::exp(sum / static_cast<double>(values.size()));
}

std::optional<MeanInterval> geometric_mean_interval(std::span<const double> values, double level) {
  if (values.size() < 2) {
    return std::nullopt;
  }
  const auto sample = log_sample(values);
  const double half = t_quantile(sample.n - 1, (1 + level) / 2) * std::sqrt(sample.squared_error);
  return MeanInterval{std::exp(sample.mean), std::exp(sample.mean - half),
                      std::exp(sample.mean + half)};
}

std::optional<Effect> welch_log_ratio(std::span<const double> base, std::span<const double> other,
                                      double level) {
  if (base.size() < 2 || other.size() < 2) {
    return std::nullopt;
  }
  const auto a = log_sample(base), b = log_sample(other);
  const double squared_error = a.squared_error + b.squared_error;
  const double freedom = squared_error == 0 ? a.n + b.n - 2
                                            : squared_error * squared_error /
                                                  (a.squared_error * a.squared_error / (a.n - 1) +
                                                   b.squared_error * b.squared_error / (b.n - 1));
  return effect_of(b.mean - a.mean, squared_error, freedom, level);
}

std::optional<Effect> log_ratio_effect(std::span<const double> ratios, double level) {
  if (ratios.size() < 2) {
    return std::nullopt;
  }
  const auto sample = log_sample(ratios);
  return effect_of(sample.mean, sample.squared_error, sample.n - 1, level);
}

double smallest_ratio(const Effect& effect, double significance) {
  const double freedom = effect.degrees_of_freedom;
  const double critical = t_quantile(freedom, 1 - significance / 2);
  // The shift of a noncentral t that is above `critical` in 80 %, by its normal approximation
  // (Abramowitz and Stegun, 26.7.10).
  const double shift =
      critical * (1 - 1 / (4 * freedom)) +
      normal_quantile_of_power * std::sqrt(1 + critical * critical / (2 * freedom));
  return std::exp(shift * effect.standard_error);
}

double permutation_p_value(std::span<const double> base, std::span<const double> other,
                           std::uint64_t seed) {
  std::vector<double> logs;
  for (const auto values : {base, other}) {
    for (const double value : values) {
      logs.push_back(std::log(value));
    }
  }
  const double total = std::accumulate(logs.begin(), logs.end(), 0.0);
  const auto n_base = static_cast<double>(base.size());
  const auto n_other = static_cast<double>(other.size());
  const auto statistic = [&](double sum_of_base) {
    return std::abs((total - sum_of_base) / n_other - sum_of_base / n_base);
  };
  const auto begin = logs.begin();
  const auto middle = begin + static_cast<std::ptrdiff_t>(base.size());
  const double seen = statistic(std::accumulate(begin, middle, 0.0));
  const double at_least = seen - 1e-12 * std::max(seen, 1e-12);  // equal up to rounding

  const auto relabellings = choices(logs.size(), base.size(), most_relabellings);
  std::size_t extreme = 0;
  if (relabellings <= most_relabellings) {
    std::vector<bool> is_base(logs.size(), false);
    std::fill(is_base.begin(), is_base.begin() + (middle - begin), true);
    do {
      double sum = 0;
      for (std::size_t i = 0; i < logs.size(); ++i) {
        sum += is_base[i] ? logs[i] : 0;
      }
      extreme += statistic(sum) >= at_least ? 1 : 0;
    } while (std::prev_permutation(is_base.begin(), is_base.end()));
    return static_cast<double>(extreme) / static_cast<double>(relabellings);
  }
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < most_relabellings; ++i) {
    std::shuffle(logs.begin(), logs.end(), random);
    extreme += statistic(std::accumulate(begin, middle, 0.0)) >= at_least ? 1 : 0;
  }
  // The labelling that was seen is one of them (Phipson and Smyth, 2010).
  return static_cast<double>(extreme + 1) / static_cast<double>(most_relabellings + 1);
}

std::vector<double> benjamini_hochberg(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return p_values[a] > p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  const auto n = static_cast<double>(p_values.size());
  double smallest = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {  // from the largest p-value, of rank n, down
    smallest = std::min(smallest, p_values[order[i]] * n / (n - static_cast<double>(i)));
    adjusted[order[i]] = smallest;
  }
  return adjusted;
}

}  // namespace breakeven
