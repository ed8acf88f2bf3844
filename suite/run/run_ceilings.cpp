// SPDX-License-Identifier: Apache-2.0
#include "suite/run/run_ceilings.hpp"

#include <set>
#include <stdexcept>
#include <utility>

#include "suite/worker/answers.hpp"

namespace breakeven {

namespace {

constexpr Seconds limit{60};

Ceilings ask(WorkerProcess& worker, nlohmann::json request) {
  request["do"] = "ceilings";
  const nlohmann::json answer = worker.request(request, limit);
  return outcome_from(answer).status == Status::ok ? ceilings_from(answer) : Ceilings{};
}

// In a process of its own: plugins' runtimes bind and spin threads.
void ask_machine(const nlohmann::json& request, WorkerPool& workers, Interrupt& interrupt,
                 CeilingLog& log) {
  workers.pause_all();
  const std::int64_t begin_ns = steady_clock().now();
  Ceilings measured;
  try {
    WorkerProcess alone({}, interrupt);
    measured = ask(alone, request);
  } catch (const Interrupted&) {
    throw;
  } catch (const std::runtime_error&) {
    // It ended, answered nonsense, or could not be started: no reason to lose a group.
  }
  log.add(begin_ns, steady_clock().now(), measured);
}

}  // namespace

void RunCeilings::measure(const PlannedCase& planned, WorkerPool& workers) {
  if (!planned.plugin->usable()) return;
  if (!std::exchange(machine_was_asked_, true))
    ask_machine(nlohmann::json::object(), workers, interrupt_, machine_);
  const auto [place, is_new] = devices_.try_emplace({planned.plugin, planned.key.device});
  if (!is_new || workers.set_aside(*planned.plugin)) return;
  try {
    place->second = ask(workers.running(*planned.plugin), {{"device", planned.key.device}});
    return;
  } catch (const WorkerEnded&) {
  } catch (const BadAnswer&) {
  } catch (const WorkerPool::NotUsable&) {
  }
  workers.discard(*planned.plugin);
}

bool RunCeilings::measure_again(std::span<const CaseRun> group, WorkerPool& workers) {
  if (!machine_.is_due(steady_clock().now())) return false;
  std::set<std::string> names;
  for (const CaseRun& run : group)
    if (!run.done && !run.stop) {
      const KnownCeilings all = known(run);
      const auto binding = ceiling_of(run, 1, all);
      if (!binding) continue;
      for (const std::string& name : binding->measured)
        if (find(all.machine, name)) names.insert(name);
    }
  if (names.empty()) return false;
  ask_machine({{"names", names}}, workers, interrupt_, machine_);
  return true;
}

KnownCeilings RunCeilings::known(const CaseRun& run) const {
  const auto device = devices_.find({run.planned->plugin, run.planned->key.device});
  return {machine_.between(run.began_ns, run.ended_ns),
          device == devices_.end() ? Ceilings{} : device->second};
}

}  // namespace breakeven
