// SPDX-License-Identifier: Apache-2.0
// What a worker answers, as the parent reads it: nothing is trusted, since a plugin shares the
// worker's memory.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "reports/schema/schema.hpp"
#include "suite/cases/workload.hpp"
#include "suite/measure/ceilings.hpp"
#include "suite/measure/noise.hpp"
#include "suite/worker/prepared_case.hpp"
#include "suite/worker/worker_process.hpp"

namespace breakeven {

// The answer is not what the protocol says.
struct BadAnswer : std::runtime_error {
  using std::runtime_error::runtime_error;
};

Status status_of(WorkerEnded::How how);

// What every answer begins with.
struct Outcome {
  Status status = Status::ok;
  std::string reason;
  bool lost = false;  // the device is lost: the worker has left
};

struct PrepareAnswer {
  Work work;
  Verification verification;
  std::size_t repetitions = 0;
};

struct VisitAnswer {
  Visit visit;
  NoiseReading noise;
  std::optional<double> joules;             // that the visit took
  std::optional<double> power_throttle_ns;  // that the device was held back by its power limit
};

struct FinishAnswer {
  Verification verification;
  std::vector<std::pair<std::string, std::string>> details;
  std::string binding;  // where the worker's threads run
};

// All throw BadAnswer. prepare_from takes what is there, the others want an answer that is ok.
Outcome outcome_from(const nlohmann::json& answer);
PrepareAnswer prepare_from(const nlohmann::json& answer);
VisitAnswer visit_from(const nlohmann::json& answer);
NoiseReading noise_from(const nlohmann::json& answer);
FinishAnswer finish_from(const nlohmann::json& answer);
std::vector<std::pair<std::string, std::string>> readings_from(const nlohmann::json& answer);
Ceilings ceilings_from(const nlohmann::json& answer);

}  // namespace breakeven
