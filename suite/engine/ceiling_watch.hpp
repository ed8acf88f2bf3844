// SPDX-License-Identifier: Apache-2.0
// The ceilings of a run: those of the machine and of a device when a case first needs them; those
// that bind a case again beside it, because clocks, memory and other load change within seconds.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "suite/engine/contender.hpp"
#include "suite/engine/workers.hpp"
#include "suite/measure/ceiling_log.hpp"

namespace breakeven {

class CeilingWatch {
 public:
  // The first look at all of the machine's may take `budget_ns`. What GPUs sustain is asked until
  // that took `sustaining_ns`.
  explicit CeilingWatch(double budget_ns,
                        double sustaining_ns = std::numeric_limits<double>::infinity())
      : budget_ns_(budget_ns), sustaining_ns_(sustaining_ns) {}

  // Blocks for about a second where something is not known yet, of products the rate of the case's
  // type. What cannot be measured stays unknown. Throws Interrupted, as visit does.
  void measure_all(const PlannedCase& planned, Workers& workers);

  // What binds those that are going on, and no more of it than a twentieth of the time: blocks for
  // about 10 ms a ceiling, on GPUs for 200, and for 1 to 3 s where it is about what a GPU sustains.
  // False: nothing was measured.
  bool visit(std::span<const Contender> line_up, Workers& workers);

  // That bound the case while it was measured, with its share. None: it has no time, or nothing
  // that could bind it is known.
  std::optional<CeilingShare> ceiling_of(const Contender& measured) const;

  // The device refused memory that it says is free when a ceiling needed it: what it is said to
  // reach cannot be held against anything.
  bool refused(const PlannedCase& planned) const;

  // Its rate is above the most that its hardware was seen to do: a reason to look closer. Blocks
  // for about 10 ms where that is not known yet.
  bool is_above(const Contender& measured, Workers& workers);

  // Why nothing here could do the work of the case in its time, with both rates. What looks like
  // that is looked at again, for the machine may have had other things to do: blocks for some
  // 10 ms then. None: it could, or what it can do is not known.
  std::optional<std::string> implausible(const Contender& measured, Workers& workers);

 private:
  using Place = std::pair<const Plugin*, std::size_t>;  // null: the machine

  // A rate of a case, and the most of it that its hardware is known to do.
  struct Held {
    double rate, most;
    double hidden;  // times as much may be possible that was not seen
    std::string of;
    std::string_view unit;
  };
  std::vector<Held> held_against(const Contender& measured, Workers& workers);
  std::optional<CeilingShare> binding(const Contender& subject, double median_ns) const;
  void measure(const Place& place, std::vector<std::string> names, Workers& workers,
               bool is_first_look = false);

  double budget_ns_, sustaining_ns_;
  std::map<Place, CeilingLog> logs_;
  std::set<Place> refused_;
  std::set<std::pair<Place, std::string>> sought_;
  std::int64_t began_ns_ = 0;  // the first visit
  double again_ns_ = 0;        // what was measured again took
  std::set<Place> lost_;       // with the worker that measured them: they are not measured again
};

}  // namespace breakeven
