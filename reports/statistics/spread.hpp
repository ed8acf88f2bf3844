// SPDX-License-Identifier: Apache-2.0
// How far equal things lie apart when a few of them are not equal.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace breakeven {

// The variance by Tukey's biweight (Lax, JASA 80, 1985): as that of a sample without its outliers,
// however far they are, up to nearly half of it. 0 where more than half of the values are equal.
// Not empty.
double biweight_variance(std::span<const double> values);

// How much that knows: it scatters as the variance of a normal sample of so many degrees of freedom
// more one. Simulated for 8 to 512 values: 0.79 to 0.95 of n - 1.
double biweight_freedom(std::size_t n);

// What the variances of several samples say together of any one of them (Smyth, Stat. Appl. Genet.
// Mol. Biol. 3, 2004): a variance is worth its own degrees of freedom and these.
struct PriorVariance {
  double variance = 0;
  double freedom = 0;  // 0: they have nothing in common

  double moderated(double own_variance, double own_freedom) const;
};
PriorVariance prior_variance(std::span<const double> variances, std::span<const double> freedoms);

// What Student's t exceeds with this probability.
double t_exceeded_with(double probability, double degrees_of_freedom);

// The values are two heaps with a gap, each with a quarter of them and four at least.
struct TwoHeaps {
  double low = 0, high = 0;  // their means
  double border = 0;         // between them
};
// None: one heap is enough. One normal heap is taken for two less than once in 1000 times, and an
// even spread never, from 8 values on.
std::optional<TwoHeaps> two_heaps(std::span<const double> values);

}  // namespace breakeven
