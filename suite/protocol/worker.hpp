// SPDX-License-Identifier: Apache-2.0
// The worker's side: one plugin, or only the machine, and the cases that are ready on it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "suite/machine/energy.hpp"
#include "suite/machine/surroundings.hpp"
#include "suite/measure/noise.hpp"
#include "suite/measure/rates_seen.hpp"
#include "suite/protocol/case_fixture.hpp"
#include "suite/protocol/messages.hpp"
#include "suite/registry/setting.hpp"

namespace breakeven {

class Worker {
 public:
  // `plugin` empty: a worker that knows only the machine.
  Worker(std::filesystem::path plugin, std::vector<Setting> settings);
  ~Worker();

  // Whatever a plugin throws becomes the answer's outcome.
  nlohmann::json answer(const nlohmann::json& request);

  // That is ready under this id. Throws std::out_of_range.
  CaseFixture& fixture(int id) { return *cases_.at(id); }

 private:
  struct DeviceCounters;

  nlohmann::json dispatch(const nlohmann::json& request);
  Reply<Opened> handle(const Open& request);
  Reply<FreeMemory> handle(const AskFreeMemory& request);
  Reply<Prepared> handle(const Prepare& request);
  Reply<Visited> handle(const TakeVisit& request);
  Reply<Finished> handle(const Finish& request);
  Reply<Done> handle(const Drop& request);
  Reply<Metered> handle(const Meter& request);
  Reply<Done> handle(const Rest& request);
  Reply<Readings> handle(const AskReadings& request);
  Reply<MeasuredCeilings> handle(const MeasureCeilings& request);
  Texts columns_of(const CaseFixture& subject) const;
  Device& device(std::size_t index);
  void require_same_computing() const;
  DeviceCounters counters(Device& place);

  std::filesystem::path plugin_;
  std::vector<Setting> settings_;
  Timer timer_;
  NoiseWatch noise_;
  EnergyCounter energy_;
  const Surroundings computing_ = computing_surroundings();  // before the plugin was loaded
  std::unique_ptr<Backend> backend_;
  double create_ns_ = 0;
  Texts creation_;  // stages of it, in nanoseconds
  bool rests_ = false;
  std::map<int, std::unique_ptr<CaseFixture>> cases_;
  RatesSeen rates_seen_;
};

// Answers the lines that come through `requests` until nobody can ask any more. Leaves by _exit:
// destructors of static objects of a plugin never run.
[[noreturn]] void serve(Worker& worker, int requests, int answers);

}  // namespace breakeven
