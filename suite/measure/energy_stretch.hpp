// SPDX-License-Identifier: Apache-2.0
// What work costs in joules, by a counter that may move only ten times a second: the work is
// repeated for two seconds between two moments at which the counter moves, and not timed.
#pragma once

#include <functional>
#include <optional>

#include "suite/model/clock.hpp"

namespace breakeven {

struct MeteredEnergy {
  double joules = 0, repetitions = 0;
};

// `work` returns how often it did it. None: there is no counter, or it stands still for a second.
std::optional<MeteredEnergy> meter_energy(const std::function<double()>& work,
                                          const std::function<std::optional<double>()>& joules,
                                          Clock& clock);

}  // namespace breakeven
