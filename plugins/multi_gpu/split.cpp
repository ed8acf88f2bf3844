// SPDX-License-Identifier: Apache-2.0
#include "plugins/multi_gpu/split.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace breakeven::multi_gpu {

std::vector<std::size_t> split(std::size_t units, std::span<const double> weights) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<std::size_t> ends;
  double before = 0;
  for (const double weight : weights) {
    before += weight;
    const double due = std::round(static_cast<double>(units) * (before / total));
    ends.push_back(std::min(units, static_cast<std::size_t>(due)));
  }
  ends.back() = units;
  return ends;
}

std::vector<std::size_t> split_bytes(std::size_t bytes, std::size_t granule,
                                     std::span<const double> weights) {
  constexpr std::size_t anywhere = 512;
  const std::size_t unit = granule <= 1 ? anywhere : granule;
  std::vector<std::size_t> ends = split((bytes + unit - 1) / unit, weights);
  for (std::size_t& end : ends) end = std::min(bytes, end * unit);
  return ends;
}

}  // namespace breakeven::multi_gpu
