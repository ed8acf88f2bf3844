// SPDX-License-Identifier: Apache-2.0
// One side of a search: a live worker that holds the case at one size, and what it measured there.
// A worker that dies ends what it was measuring; the next size starts a fresh one.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "suite/find/contest.hpp"
#include "suite/run/case_run.hpp"
#include "suite/worker/answers.hpp"
#include "suite/worker/interrupt.hpp"
#include "suite/worker/worker_process.hpp"

namespace breakeven {

struct ContestantLimits {
  double sample_seconds = 1;  // longer than this, and the size is refused
  double request_seconds = 90;
  std::uint64_t seed = 0;
};

class Contestant {
 public:
  Contestant(const Plugin& plugin, std::vector<Setting> settings, const ContestantLimits& limits,
             Interrupt& interrupt)
      : plugin_(plugin), settings_(std::move(settings)), limits_(limits), interrupt_(interrupt) {}

  // Verified and warmed up. False: not to be measured here; the run says why.
  bool enter(const Key& key);
  // The median of a block, in nanoseconds per repetition. None: the run says why.
  std::optional<double> block();
  // Checks the last result. False: the run says why.
  bool finish();
  // Ends the run without a time.
  void abandon(Status status, const std::string& reason);
  // Frees what the case needs, where it is still held.
  void drop();

  // A side that waits uses no processor time.
  void pause();

  const CaseRun& run() const { return run_; }

 private:
  struct NotUsable {
    Outcome outcome;
  };
  WorkerProcess& worker();
  template <typename Answer>
  Answer ask(const nlohmann::json& request, Answer (*read)(const nlohmann::json&));

  const Plugin& plugin_;
  const std::vector<Setting> settings_;
  const ContestantLimits limits_;
  Interrupt& interrupt_;
  std::unique_ptr<WorkerProcess> worker_;
  CaseRun run_;
  bool holds_case_ = false;
  // Of a block: as many as were calibrated, fewer while something else slows this side down, so
  // that a block of milliseconds does not become one of seconds. 0: as calibrated.
  std::size_t samples_ = 0, most_samples_ = 0;
};

}  // namespace breakeven
