// SPDX-License-Identifier: Apache-2.0
// Watches the machine between visits: is something else busy here?
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "suite/machine/control_group.hpp"
#include "suite/model/clock.hpp"

namespace breakeven {

// Of a counter, which may have begun anew. None where either reading is.
std::optional<double> growth(std::optional<double> before, std::optional<double> after);

// What was seen at one moment, and what happened since the reading before. None: cannot be known
// here.
struct NoiseReading {
  double kernel_ns = 0;                // a fixed piece of arithmetic, about 2 ms on one core
  double since_ns = 0;                 // since the reading before; 0 in the first
  std::optional<double> steal_ns;      // taken from this machine's processors by its host
  std::optional<double> throttled_ns;  // this process stood still for its control group's quota
};

// What all but this process had, since it was made, of the processors that its threads may use;
// their host included. In ticks of the system, so that the sum of many is right and one may be
// some 10 ms off, below 0 too.
class Others {
 public:
  double busy_ns() const;  // 0 where it cannot be known

 private:
  std::optional<double> before_ns_ = now_ns();
  static std::optional<double> now_ns();
};

// Belongs to one thread.
class NoiseWatch {
 public:
  explicit NoiseWatch(Clock& clock);
  virtual ~NoiseWatch() = default;
  virtual NoiseReading read();  // takes about 2 ms

  // The host's counters since they began, and the clock of the processor that asks, by name:
  // `host_steal_ns`. What cannot be known here is left out.
  std::vector<std::pair<std::string, double>> host() const;

 private:
  struct Counters {
    std::optional<double> steal_ns, throttled_ns;
  };
  Counters counters() const;

  Clock& clock_;
  ControlGroup control_group_;
  Counters before_;
  std::int64_t before_ns_ = 0;
};

// Judges what lies between two readings of a run, in the order they were taken: there is one
// stretch less than there are readings. An empty text: quiet; else what disturbed it: `kernel +8
// %`, `steal 12 %`, `throttled 3 ms`. The kernel counts when a neighbour differs from the run's
// median by more than max(2 %, 3 times the run's own spread of it, which is the scaled median
// absolute deviation).
std::vector<std::string> disturbances(std::span<const NoiseReading> readings);

}  // namespace breakeven
