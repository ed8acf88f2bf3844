// SPDX-License-Identifier: Apache-2.0
// A GPU that rested, if only while others were measured, computes at a lower clock: it is made to
// work until its clock stands.
#pragma once

#include <functional>
#include <optional>

#include <breakeven/plugin.hpp>

#include "suite/model/clock.hpp"

namespace breakeven {

// Of its multiprocessors, now: the lowest, of a device made of several. None where it tells none.
std::optional<double> sm_clock_mhz(const Device& device);

class SteadyClockRate {
 public:
  explicit SteadyClockRate(Clock& clock) : clock_(clock) {}

  // Runs `work`, 5 ms of it between two looks at the clock, until the clock is what it was when it
  // last stood, or four looks in a row are within 1.5 %, no sooner than after 50 ms, since the
  // clock of an idle GPU stands as well. False: it did not within 300 ms, or 50 where it never did
  // before. Without a clock to read nothing is done.
  bool reach(const std::function<void()>& work, const std::function<std::optional<double>()>& mhz);

 private:
  Clock& clock_;
  std::optional<double> stood_at_;
  double longest_ = 3e8;
};

}  // namespace breakeven
