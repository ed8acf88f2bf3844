// SPDX-License-Identifier: Apache-2.0
#include "suite/run/worker_pool.hpp"

namespace breakeven {

namespace {
constexpr Seconds limit_of_open{60};
}

void WorkerPool::pause_all() {
  for (const auto& [plugin, worker] : workers_)
    if (worker) worker->pause();
}

WorkerProcess& WorkerPool::running(const Plugin& plugin) {
  for (const auto& [other, worker] : workers_)
    if (other != &plugin && worker) worker->pause();
  std::unique_ptr<WorkerProcess>& worker = workers_[&plugin];
  if (!worker) {
    auto fresh = std::make_unique<WorkerProcess>(
        WorkerStart{plugin.resolved, settings_of(plugin.name, settings_), plugin.environment},
        interrupt_);
    Outcome outcome = outcome_from(fresh->request({{"do", "open"}}, limit_of_open));
    if (outcome.status != Status::ok) throw NotUsable{std::move(outcome)};
    worker = std::move(fresh);
  }
  worker->resume();
  return *worker;
}

void WorkerPool::discard(const Plugin& plugin) {
  workers_.erase(&plugin);
}

void WorkerPool::discard_all() {
  workers_.clear();
}

bool WorkerPool::idle(const Plugin& plugin) const {
  const auto found = workers_.find(&plugin);
  return found != workers_.end() && found->second && found->second->idle();
}

bool WorkerPool::set_aside(const Plugin& plugin) const {
  const auto found = crashes_.find(&plugin);
  return found != crashes_.end() && found->second >= most_crashes;
}

}  // namespace breakeven
