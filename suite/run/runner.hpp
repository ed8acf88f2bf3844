// SPDX-License-Identifier: Apache-2.0
// Runs a plan: rounds of groups, each group's rows written when it ends.
#pragma once

#include <functional>
#include <vector>

#include "reports/schema/schema.hpp"
#include "suite/protocol/interrupt.hpp"
#include "suite/run/options.hpp"
#include "suite/run/plan.hpp"

namespace breakeven {

// Who watches a run. Called in the parent, between measurements.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  // Cases that can be measured, over all rounds, and the seconds that the run may take; 0: any.
  virtual void started(std::size_t cases, double budget) = 0;
  // A case went a step on; `done` counts those of them that are through.
  virtual void step(std::string_view case_name, std::size_t done) = 0;
  virtual void measured(const Row& row) = 0;
};

struct Limits {
  unsigned rounds = 1;
  double precision = 0.01;
  double case_budget = 3;  // seconds
  double run_budget = 0;   // seconds; 0: none
  double run_target = 0;   // seconds that the cases of all rounds share out among them; 0: none
  double time_limit = 90;  // seconds of one request
};

// What the preset has where the user said nothing.
Limits limits_of(const RunOptions& options);

// Seconds in which a case is visited when `spent` of the run are over and so many cases are left,
// it among them, each of which takes `overhead` besides, to be prepared and checked.
double share_of_a_case(const Limits& limits, double spent, std::size_t cases, double overhead);

// Whether so many cases, of all rounds, are repeated two seconds more so that their joules can be
// counted: where that was asked for, and in the preset full where it takes no more than a quarter
// of the run's time.
bool meters_energy(const RunOptions& options, std::size_t cases);

// `context` holds the columns that all rows share; `write` gets the rows of a group when it ends.
// Keys in `complete` (name and round) are left out. Throws Interrupted after what is complete is
// written, and what `write` throws.
void run_plan(const RunOptions& options, const Plan& plan, const Row& context,
              const std::vector<std::pair<std::string, unsigned>>& complete, Interrupt& interrupt,
              const std::function<void(const std::vector<Row>&)>& write, RunObserver& observer);

}  // namespace breakeven
