// SPDX-License-Identifier: Apache-2.0
// Work on several queues at once, fed by one thread or by one thread each, and what its parts take
// alone: from which speed-up, efficiency and interference follow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <breakeven/plugin.hpp>

#include "suite/cases/routine.hpp"
#include "suite/cases/thread_team.hpp"
#include "suite/cases/workload.hpp"

namespace breakeven {

struct Lane {
  Device* device = nullptr;
  Routine routine;  // what this lane adds to one repetition
};

// Medians of interleaved runs, in nanoseconds, and the counts that tell a cause.
struct LaneTimes {
  std::vector<double> alone;  // each lane's routine, the others idle
  double best_single = 0;     // the same work on the device that does it fastest
  std::size_t best_device = 0;
  double together = 0;          // until the last is done
  double together_enqueue = 0;  // until all is handed over
  double lost_processor = 0;    // how often a feeding thread lost its processor, per run
  double clock_ratio = 1;       // lowest clock of a device together, over that alone; 1: unknown
};

// What keeps the efficiency below 0.9, in one word with its figure; `none` from there on.
std::string cause_of(const LaneTimes& times, std::size_t feeders, Kind kind);

class Lanes {
 public:
  // `feeders` is 1 or the number of lanes.
  Lanes(std::vector<Lane> lanes, std::size_t feeders);

  // All lanes at once, `repetitions` of each back to back.
  Sample run(std::size_t repetitions, Clock& clock);

  // `singles`: for every device, a routine that does the whole work of one repetition on it.
  LaneTimes measure(const std::vector<Lane>& singles, Clock& clock);

  std::size_t size() const noexcept { return lanes_.size(); }

 private:
  void feed(std::size_t member);
  Sample run_alone(const Lane& lane, Clock& clock);

  std::vector<Lane> lanes_;
  std::size_t feeders_;
  // Of the run at hand.
  std::size_t repetitions_ = 1;
  Clock* clock_ = nullptr;
  std::vector<std::int64_t> handed_over_;
  std::unique_ptr<ThreadTeam> team_;  // last: its threads use the rest
};

}  // namespace breakeven
