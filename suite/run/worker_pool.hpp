// SPDX-License-Identifier: Apache-2.0
// The live workers of a round, one per backend; at most one of them runs.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "suite/registry/registry.hpp"
#include "suite/worker/answers.hpp"
#include "suite/worker/worker_process.hpp"

namespace breakeven {

class WorkerPool {
 public:
  static constexpr int most_crashes = 3;

  WorkerPool(std::vector<Setting> settings, Interrupt& interrupt)
      : settings_(std::move(settings)), interrupt_(interrupt) {}

  // The backend's worker with its plugin loaded, all others paused. Starts one where there is none.
  // Throws WorkerEnded, NotUsable, BadAnswer and Interrupted.
  WorkerProcess& running(const Plugin& plugin);

  // The worker crashed or hung, or a fresh one is wanted: the next call of running() starts one.
  void discard(const Plugin& plugin);
  void discard_all();
  void pause_all();

  // There is a worker, and it waits for a request.
  bool idle(const Plugin& plugin) const;

  // Crashes are counted over the run; after the third the backend is set aside.
  void count_crash(const Plugin& plugin) { ++crashes_[&plugin]; }
  bool set_aside(const Plugin& plugin) const;

  // The plugin answered `open` with something else than ok.
  struct NotUsable {
    Outcome outcome;
  };

 private:
  std::vector<Setting> settings_;
  Interrupt& interrupt_;
  std::map<const Plugin*, std::unique_ptr<WorkerProcess>> workers_;
  std::map<const Plugin*, int> crashes_;
};

}  // namespace breakeven
