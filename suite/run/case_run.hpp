// SPDX-License-Identifier: Apache-2.0
// One case in one round: what becomes a row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/schema/schema.hpp"
#include "suite/cases/workload.hpp"
#include "suite/measure/stop_rule.hpp"
#include "suite/run/plan.hpp"
#include "suite/worker/prepared_case.hpp"

namespace breakeven {

// Of a case that a run with a budget did not come to; --resume measures it.
inline constexpr std::string_view budget_spent_before =
    "the budget of the run was spent before its turn";

struct CaseRun {
  const PlannedCase* planned = nullptr;
  int id = 0;  // unique in the run: what the worker knows it by
  unsigned round = 1;

  bool done = false;  // has what its row needs
  Status status = Status::ok;
  std::string reason;
  std::string output;  // what the plugin printed, of a case that is not ok

  Work work;                    // of one repetition
  std::size_t repetitions = 0;  // in one sample
  Verification verification;
  std::vector<std::pair<std::string, std::string>> details;

  std::vector<Visit> visits;
  std::vector<double> visit_medians;      // wall, nanoseconds
  std::vector<std::size_t> visit_noise;   // the reading before each, in the run's log
  std::vector<std::string> disturbances;  // of the visits that were disturbed
  double joules = 0;                      // of all visits; 0: unknown
  double power_throttle_ns = 0;           // the device's power limit held it back, in all visits
  std::string binding;                    // where the worker's threads ran
  std::vector<std::pair<std::string, std::string>> readings_before, readings_after;
  double spent_ns = 0;                      // in visits
  std::int64_t began_ns = 0, ended_ns = 0;  // on the parent's clock: made ready, last visit
  std::optional<StopReason> stop;

  // Ends the case without a time.
  void end(Status how, std::string why) {
    done = true;
    status = how;
    reason = std::move(why);
    visits.clear();
    visit_medians.clear();
    visit_noise.clear();
    stop.reset();
  }

  // Back to before it was prepared: its worker is gone.
  void restart() {
    visits.clear();
    visit_medians.clear();
    visit_noise.clear();
    joules = power_throttle_ns = spent_ns = 0;
    stop.reset();
  }
};

}  // namespace breakeven
