// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace breakeven {

// What is a hundred times as fast as its ceiling was held against a stretch in which the ceiling's
// threads did not get their processors.
inline constexpr double largest_ceiling_share = 100;

}  // namespace breakeven
