// SPDX-License-Identifier: Apache-2.0
// How long work takes, as overhead + bytes / bandwidth + flops / rate: what explains a crossing.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace breakeven {

// One size: the work of one repetition and what it takes.
struct Observation {
  std::size_t size = 0;
  double nanoseconds = 0, bytes = 0, flops = 0;
};

// A cost that is never negative. The interval is 95 %, for what the model leaves over taken as
// chance; zero where the observations show no such cost.
struct Coefficient {
  double value = 0, low = 0, high = 0;
};

// Neighbouring sizes that take `ratio` times what the model says.
struct Misfit {
  std::size_t low = 0, high = 0;
  double ratio = 1;
};

struct TimeModel {
  Coefficient overhead_ns, ns_per_byte, ns_per_flop;
  bool bytes_stand_for_flops = false;  // both grow alike here: ns_per_byte holds them together
  std::vector<double> residuals;       // ln(t / model), in the order of the observations
  std::vector<Misfit> misfits;         // where that is more than 10 %, by size

  double operator()(double bytes, double flops) const {
    return overhead_ns.value + ns_per_byte.value * bytes + ns_per_flop.value * flops;
  }
  // No size between the two is misfit.
  bool fits(std::size_t low, std::size_t high) const;
};

// Least squares of relative errors with Tukey's weights, so that a few sizes off the line do not
// bend it. None: fewer observations than two more than there are costs to tell apart.
std::optional<TimeModel> fit_time_model(std::span<const Observation> observations);

}  // namespace breakeven
