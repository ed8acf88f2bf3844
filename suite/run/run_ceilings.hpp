// SPDX-License-Identifier: Apache-2.0
// The ceilings of a run: measured when first needed; those of the machine that bind a case again
// while it is measured.
#pragma once

#include <map>
#include <span>
#include <utility>

#include "suite/measure/ceiling_log.hpp"
#include "suite/run/plan.hpp"
#include "suite/run/rows.hpp"
#include "suite/run/worker_pool.hpp"

namespace breakeven {

class RunCeilings {
 public:
  explicit RunCeilings(Interrupt& interrupt) : interrupt_(interrupt) {}

  // Blocks for about a second where something is not known yet. What cannot be measured stays
  // unknown. Throws Interrupted.
  void measure(const PlannedCase& planned, WorkerPool& workers);

  // What binds those that are still being measured, unless that was done a moment ago. Blocks for
  // about 30 ms a ceiling. False: nothing was measured. Throws Interrupted.
  bool measure_again(std::span<const CaseRun> group, WorkerPool& workers);

  // Of the machine as it was while this case was measured.
  KnownCeilings known(const CaseRun& run) const;

 private:
  Interrupt& interrupt_;
  bool machine_was_asked_ = false;
  CeilingLog machine_;
  std::map<std::pair<const Plugin*, std::size_t>, Ceilings> devices_;
};

}  // namespace breakeven
