// SPDX-License-Identifier: Apache-2.0
// What one visit of a case measured.
#pragma once

#include <vector>

namespace breakeven {

// Nanoseconds of one repetition, in the order taken.
struct Visit {
  std::vector<double> wall, enqueue, device;
};

}  // namespace breakeven
