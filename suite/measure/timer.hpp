// SPDX-License-Identifier: Apache-2.0
// What reading the clock costs, and how fine it is: the shortest sample worth taking follows.
#pragma once

#include "suite/model/clock.hpp"

namespace breakeven {

struct Timer {
  double resolution_ns = 0;  // the smallest step between readings
  double overhead_ns = 0;    // of one reading
};

// Takes about a millisecond.
Timer measure_timer(Clock& clock);

// 1000 ticks and 100 readings, in nanoseconds.
double shortest_sample_ns(const Timer& timer);

}  // namespace breakeven
