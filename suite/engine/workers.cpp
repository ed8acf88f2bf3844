// SPDX-License-Identifier: Apache-2.0
#include "suite/engine/workers.hpp"

#include <fmt/format.h>

#include "suite/protocol/worker_process.hpp"

namespace breakeven {

namespace {
constexpr Seconds limit_of_open{60};
}

StartWorker worker_processes(std::vector<Setting> settings, Interrupt& interrupt) {
  return [settings = std::move(settings), &interrupt](const Plugin* plugin) {
    WorkerStart start;
    if (plugin)
      start = {plugin->program, plugin->resolved, settings_of(plugin->name, settings),
               plugin->environment};
    return std::make_unique<WorkerProcess>(start, interrupt);
  };
}

void Workers::pause_all() {
  for (const auto& [plugin, worker] : workers_)
    if (worker) worker->pause();
}

WorkerClient& Workers::running(const Plugin* plugin) {
  for (const auto& [other, worker] : workers_)
    if (other != plugin && worker) worker->pause();
  std::unique_ptr<WorkerClient>& worker = workers_[plugin];
  if (!worker) {
    if (plugin)
      std::erase_if(workers_, [plugin](const auto& each) {
        return each.first && each.second && exclude_each_other(*each.first, *plugin);
      });
    auto fresh = start_(plugin);
    auto [outcome, opened] = fresh->ask(Open{}, limit_of_open);
    if (outcome.status != Status::ok) throw NotUsable{std::move(outcome)};
    if (opened.protocol != protocol_number)
      throw NotUsable{{Status::unavailable,
                       fmt::format("its program speaks protocol {}, this one {}: build one of them "
                                   "anew, or compare the plugin alone with --plugin",
                                   opened.protocol, protocol_number)}};
    worker = std::move(fresh);
  }
  return *worker;
}

bool Workers::idle(const Plugin* plugin) const {
  const auto found = workers_.find(plugin);
  return found != workers_.end() && found->second && found->second->idle();
}

bool Workers::set_aside(const Plugin* plugin) const {
  const auto found = crashes_.find(plugin);
  return found != crashes_.end() && found->second >= most_crashes;
}

}  // namespace breakeven
