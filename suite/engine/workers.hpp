// SPDX-License-Identifier: Apache-2.0
// The live workers of a round, one per backend and one for the machine itself; at most one of them
// runs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "suite/protocol/interrupt.hpp"
#include "suite/protocol/worker_client.hpp"
#include "suite/registry/registry.hpp"

namespace breakeven {

// How a worker of a plugin comes to be; null: the machine's.
using StartWorker = std::function<std::unique_ptr<WorkerClient>(const Plugin*)>;

// In processes of their own. The interrupt outlives the result.
StartWorker worker_processes(std::vector<Setting> settings, Interrupt& interrupt);

class Workers {
 public:
  static constexpr int most_crashes = 3;

  explicit Workers(StartWorker start) : start_(std::move(start)) {}

  // The worker with its plugin loaded, all others at rest. Starts one where there is none, and ends
  // those that cannot live beside it. Throws NotUsable and what WorkerClient::ask throws.
  WorkerClient& running(const Plugin* plugin);

  // The worker crashed or hung, or a fresh one is wanted: the next call of running() starts one.
  void discard(const Plugin* plugin) { workers_.erase(plugin); }
  void discard_all() { workers_.clear(); }
  // It and all that drive hardware of the same plugin.
  void discard_beside(const Plugin* plugin) {
    std::erase_if(workers_, [plugin](const auto& each) {
      return each.first && (each.first == plugin || share_hardware(*each.first, *plugin));
    });
  }
  void pause_all();

  // There is a worker, and it waits for a request.
  bool idle(const Plugin* plugin) const;

  // Crashes are counted over the run; after the third the backend is set aside.
  void count_crash(const Plugin* plugin) { ++crashes_[plugin]; }
  bool set_aside(const Plugin* plugin) const;

  // The plugin answered `open` with something else than ok.
  struct NotUsable {
    Outcome outcome;
  };

 private:
  StartWorker start_;
  std::map<const Plugin*, std::unique_ptr<WorkerClient>> workers_;
  std::map<const Plugin*, int> crashes_;
};

}  // namespace breakeven
