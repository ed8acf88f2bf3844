// SPDX-License-Identifier: Apache-2.0
#include "suite/run/run_ceilings.hpp"

#include "suite/worker/answers.hpp"

namespace breakeven {

namespace {

constexpr Seconds limit{60};

Ceilings ask(WorkerProcess& worker, std::size_t device) {
  const nlohmann::json answer = worker.request({{"do", "ceilings"}, {"device", device}}, limit);
  return outcome_from(answer).status == Status::ok ? ceilings_from(answer) : Ceilings{};
}

}  // namespace

void RunCeilings::measure(const PlannedCase& planned, WorkerPool& workers) {
  if (!planned.plugin->usable()) return;
  if (!machine_) {
    workers.pause_all();
    machine_.emplace();
    try {
      WorkerProcess alone({}, interrupt_);  // plugins' runtimes bind and spin threads
      *machine_ = ask(alone, 0);
    } catch (const WorkerEnded&) {
    } catch (const BadAnswer&) {
    }
  }
  const auto [place, is_new] = devices_.try_emplace({planned.plugin, planned.key.device});
  if (!is_new || workers.set_aside(*planned.plugin)) return;
  try {
    place->second = ask(workers.running(*planned.plugin), planned.key.device);
    return;
  } catch (const WorkerEnded&) {
  } catch (const BadAnswer&) {
  } catch (const WorkerPool::NotUsable&) {
  }
  workers.discard(*planned.plugin);
}

KnownCeilings RunCeilings::known(const PlannedCase& planned) const {
  const auto device = devices_.find({planned.plugin, planned.key.device});
  return {machine_.value_or(Ceilings{}), device == devices_.end() ? Ceilings{} : device->second};
}

}  // namespace breakeven
