// SPDX-License-Identifier: Apache-2.0
// The ceilings of a run: measured when first needed, once, and kept for all its rows.
#pragma once

#include <map>
#include <optional>
#include <utility>

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

  KnownCeilings known(const PlannedCase& planned) const;

 private:
  Interrupt& interrupt_;
  std::optional<Ceilings> machine_;
  std::map<std::pair<const Plugin*, std::size_t>, Ceilings> devices_;
};

}  // namespace breakeven
