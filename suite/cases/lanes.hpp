// SPDX-License-Identifier: Apache-2.0
// Work on several queues at once, fed by one thread or by one thread each, and what its parts take
// alone: from which speed-up, efficiency, interference and the cause of a loss follow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <breakeven/plugin.hpp>

#include "suite/cases/routine.hpp"
#include "suite/cases/thread_team.hpp"
#include "suite/model/prepared_case.hpp"

namespace breakeven {

struct Lane {
  Device* device = nullptr;
  Routine routine;  // what this lane adds to one repetition
  // The copies that are in it, on the same queues. Empty: it copies nothing.
  Routine copies = {};
};

// Medians of turns, in nanoseconds, and the counts that tell a cause.
struct LaneTimes {
  std::vector<double> alone;         // each lane's routine, the others idle
  std::vector<double> single;        // the same work as all lanes together, by device
  double together = 0;               // until the last is done
  double together_enqueue = 0;       // until all is handed over
  std::vector<double> copies_alone;  // each lane's copies, the others idle; empty: there are none
  double copies_together = 0;        // the copies of all lanes at once
  double lost_processor = 0;         // how often a feeding thread lost its processor, per run
  bool lane_by_lane = false;         // one thread hands over all of a lane before the next
  double clock_ratio = 1;  // lowest clock of a device together, over that alone; 1: unknown

  std::size_t best_device() const;
  double best_single() const { return single[best_device()]; }
  double slowest_alone() const;
};

// What keeps the efficiency, best_single / together / lanes, below 0.9, in one word with its
// figure; `none` from there on.
//
// With one thread for several lanes that is busy handing over for 90 % of the time together:
//   feeding-thread:0.98  that share
// Else the time that is lost against best_single / lanes is what the lanes take longer together
// than the slowest of them alone, and what that one takes longer than an equal share. The larger of
// the two is told. Where the lanes hinder each other, the first of these that applies:
//   one-by-one:1.62      time together over the slowest alone, where a lane is fed before the next
//   shared-link:1.84     copies of all lanes at once over those of the slowest one alone: above
//                        1.1, and at least half of what is lost here
//   shared-cores:3       (CPU) how often a feeding thread was put off its processor in one run
//   clock-drop:0.87      clock together over that alone: below 0.95, and at least half of it
//   interference:1.31    time together over the slowest alone, for whatever other reason
// Where the slowest lane alone is too slow:
//   slow-device:1.52     all the work on the slowest device over that on the best: above 1.1, and
//                        at least half of what is lost here
//   copies:0.43          share of that lane's time that its copies take alone, at least half of it
//   split:1.12           that lane's time over an equal share, for whatever other reason
std::string cause_of(const LaneTimes& times, std::size_t feeders, Kind kind);

// How one feeder serves several lanes: a task of each in turn, or all of a lane before the next.
enum class Feeding : std::uint8_t { in_turn, lane_by_lane };

class Lanes {
 public:
  // `feeders` is 1 or the number of lanes. `singles`: for every device, a routine that does the
  // whole work of one repetition on it.
  Lanes(std::vector<Lane> lanes, std::vector<Lane> singles, std::size_t feeders,
        Feeding feeding = Feeding::in_turn);

  // All lanes at once, `repetitions` of each back to back. `enqueue`: of the feeder that is busy
  // longest; where more than fit the queues is handed over, by the first of it.
  Sample run(std::size_t repetitions, Clock& clock);

  // Runs every part alone and all together, once, where it is short after a run that is not
  // measured. Ends with everything together.
  void take_turn(Clock& clock);

  // Of the turns so far; at least one.
  LaneTimes times() const;

 private:
  struct Turn {
    std::vector<double> alone, single, copies_alone;
    double together = 0, together_enqueue = 0, copies_together = 0, lost_processor = 0;
    double clock_alone = 0, clock_together = 0;  // MHz, the lowest of all devices; 0: unknown
  };

  void feed(std::size_t member);
  void hand_over(std::span<const Lane> lanes, std::int64_t& handed_over);
  Sample run_together(std::size_t repetitions, Clock& clock, Routine Lane::*part);
  double run_alone(const Lane& lane, const Routine& routine, Clock& clock);
  bool warms_up() const;
  double lowest_clock() const;

  std::vector<Lane> lanes_, singles_;
  std::size_t feeders_;
  Feeding feeding_;
  bool copies_ = false;
  std::vector<Turn> turns_;
  // Of the run at hand.
  std::size_t repetitions_ = 1;
  std::int64_t start_ = 0;
  Clock* clock_ = nullptr;
  Routine Lane::*part_ = &Lane::routine;
  std::vector<std::int64_t> handed_over_;  // nanoseconds, by feeder
  std::unique_ptr<ThreadTeam> team_;       // last: its threads use the rest
};

}  // namespace breakeven
