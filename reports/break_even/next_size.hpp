// SPDX-License-Identifier: Apache-2.0
// Which size to probe next: a pure function of what the probes so far say.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "reports/break_even/finding.hpp"
#include "reports/break_even/search.hpp"

namespace breakeven {

// low, 4 low, 16 low, … and high, on the axis.
std::vector<std::size_t> grid_of(const Axis& axis);

// The grid from below; then, in the first and the last change of the winner, the middle in ln n of
// the widest gap above `resolution`; then 0.8 and 1.25 times the ends, and
// 0.63 and 1.6. None: nothing more to learn,
// or `most` sizes are probed.
std::optional<std::size_t> next_size(const Finding& so_far, const Axis& axis, double resolution,
                                     std::size_t most);

}  // namespace breakeven
