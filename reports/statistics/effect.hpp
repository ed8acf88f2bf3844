// SPDX-License-Identifier: Apache-2.0
// How much slower, and how sure: two sets of round medians against one another. A value is what one
// process saw; samples or visits inside a process are not observations here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace breakeven {

// exp of the mean of the logarithms. Not empty, all positive.
double geometric_mean(std::span<const double> values);

struct MeanInterval {
  double mean = 0, low = 0, high = 0;
};

// Geometric mean with Student's t interval on the logarithms. None below two values.
std::optional<MeanInterval> geometric_mean_interval(std::span<const double> values,
                                                    double level = 0.95);

struct Effect {
  double ratio = 1, low = 1, high = 1;  // other / base, with its interval
  double p_value = 1;                   // two-sided, of the ratio being 1
  double degrees_of_freedom = 0;
  double standard_error = 0;  // of the logarithm of the ratio
};

// Welch's t on the logarithms (Biometrika 34, 1947). None below two values on a side. All values
// positive.
std::optional<Effect> welch_log_ratio(std::span<const double> base, std::span<const double> other,
                                      double level = 0.95);

// Student's t on the logarithms of ratios other / base, each of which is an observation. None below
// two. All positive.
std::optional<Effect> log_ratio_effect(std::span<const double> ratios, double level = 0.95);

// The ratio above 1 that data this noisy tell from 1 in four of five comparisons, where a p-value
// is held against `significance`.
double smallest_ratio(const Effect& effect, double significance);

// Two-sided permutation test of the difference of mean logarithms: every relabelling where there
// are at most 200 000, else that many drawn with `seed`. Not empty, all positive.
double permutation_p_value(std::span<const double> base, std::span<const double> other,
                           std::uint64_t seed = 1);

// Adjusted p-values in the order given: rejecting those at most q keeps the expected share of false
// discoveries at q (Benjamini and Hochberg, J. R. Statist. Soc. B 57, 1995).
std::vector<double> benjamini_hochberg(std::span<const double> p_values);

}  // namespace breakeven
