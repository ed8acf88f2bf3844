// SPDX-License-Identifier: Apache-2.0
#include "suite/run/runner.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "suite/machine/control_group.hpp"
#include "suite/machine/text_file.hpp"
#include "suite/run/group.hpp"
#include "suite/run/rows.hpp"
#include "suite/run/run_ceilings.hpp"

namespace breakeven {

namespace {

// Visits of a case are spread over the time its group takes: a group of this many lasts seconds.
constexpr std::size_t most_in_group = 24;

// Readings of the noise that later ones are held against: a long run would heap up millions.
constexpr std::size_t most_noise_remembered = 2000;

// Of the machine, with the pages of files that the kernel would give back.
double free_memory() {
  if (const auto text = entry("/proc/meminfo", "MemAvailable", ':'))  // `23785732 kB`
    return std::strtod(text->c_str(), nullptr) * 1024;
  return static_cast<double>(sysconf(_SC_AVPHYS_PAGES)) *
         static_cast<double>(sysconf(_SC_PAGESIZE));
}

// Half of what is free, on the machine and in this container or job.
std::size_t memory_for_a_group() {
  const double free = free_memory();
  return static_cast<std::size_t>(std::min(free, ControlGroup().free_memory().value_or(free)) / 2);
}

// No more than the case's device has free, for cases that are held there together.
std::size_t memory_beside_others(const PlannedCase& planned, std::size_t memory) {
  const auto& devices = planned.plugin->devices;
  const std::size_t device = planned.key.device;
  const std::size_t free = device < devices.size() ? devices[device].free_bytes : 0;
  return free > 0 ? std::min(memory, free) : memory;
}

using Cases = std::vector<const PlannedCase*>;

// The cases of one backend in groups that fit in memory; a case with workers of its own is alone.
std::vector<Cases> groups_of(const Cases& cases, std::size_t memory) {
  std::vector<Cases> groups;
  std::size_t used = 0;
  bool open = false;
  for (const PlannedCase* planned : cases) {
    const bool alone = planned->definition->needs_fresh_worker();
    const std::size_t bytes = planned->definition->footprint(planned->key);
    if (!open || alone || used + bytes > memory_beside_others(*planned, memory) ||
        groups.back().size() == most_in_group) {
      groups.emplace_back();
      used = 0;
    }
    groups.back().push_back(planned);
    used += bytes;
    open = !alone;
  }
  return groups;
}

// The groups of all backends, taking turns, so that what will be compared is measured close
// together.
std::vector<Cases> take_turns(const std::vector<const PlannedCase*>& planned, std::size_t memory) {
  std::vector<const Plugin*> order;
  std::map<const Plugin*, Cases> by_plugin;
  for (const PlannedCase* one : planned) {
    if (by_plugin[one->plugin].empty()) order.push_back(one->plugin);
    by_plugin[one->plugin].push_back(one);
  }
  std::vector<std::vector<Cases>> queues;
  for (const Plugin* plugin : order) queues.push_back(groups_of(by_plugin[plugin], memory));
  std::vector<Cases> turns;
  for (std::size_t turn = 0; !queues.empty(); ++turn) {
    bool any = false;
    for (auto& queue : queues)
      if (turn < queue.size()) {
        turns.push_back(std::move(queue[turn]));
        any = true;
      }
    if (!any) break;
  }
  return turns;
}

std::size_t count_usable(const Cases& cases) {
  return static_cast<std::size_t>(std::count_if(
      cases.begin(), cases.end(), [](const PlannedCase* one) { return one->plugin->usable(); }));
}

std::vector<CaseRun> case_runs(const Cases& group, unsigned round, int& next_id,
                               std::size_t memory) {
  std::vector<CaseRun> runs(group.size());
  for (std::size_t i = 0; i < group.size(); ++i) {
    runs[i].planned = group[i];
    runs[i].round = round;
    runs[i].id = next_id++;
    const Plugin& plugin = *group[i]->plugin;
    const std::size_t needed = group[i]->definition->footprint(group[i]->key);
    if (!plugin.usable())
      runs[i].end(Status::unavailable, *plugin.reason);
    else if (needed > memory)
      runs[i].end(Status::out_of_memory, "needs " + std::to_string(needed >> 20) +
                                             " MiB, a group may use " +
                                             std::to_string(memory >> 20) + " MiB");
  }
  return runs;
}

}  // namespace

Limits limits_of(const RunOptions& options) {
  const bool quick = options.selection.preset == Preset::quick;
  Limits limits;
  limits.rounds = options.rounds.value_or(options.selection.preset == Preset::full ? 5 : 1);
  if (!quick) limits.case_budget = 10;
  // With what preparing, checking and the ceilings take, a minute and five.
  const bool is_course = options.selection.preset == Preset::course;
  if (options.run_budget > 0)
    limits.run_target = options.run_budget;
  else if (options.case_budget == 0)
    limits.run_target = limits.rounds * (quick ? 40 : is_course ? 130 : 0);
  limits.precision = options.precision;
  if (options.case_budget > 0) limits.case_budget = options.case_budget;
  // One round of the course ends within five minutes on any machine; what it did not come to says
  // so.
  limits.run_budget = options.run_budget > 0            ? options.run_budget
                      : is_course && limits.rounds == 1 ? 285
                                                        : 0;
  limits.time_limit = options.time_limit > 0 ? options.time_limit : 60 + 10 * limits.case_budget;
  return limits;
}

double share_of_a_case(const Limits& limits, double spent, std::size_t cases) {
  const double share =
      (limits.run_target - spent) / static_cast<double>(std::max<std::size_t>(1, cases));
  return std::clamp(share, std::min(0.1, limits.case_budget), limits.case_budget);
}

void run_plan(const RunOptions& options, const Plan& plan, const Row& context,
              const std::vector<std::pair<std::string, unsigned>>& complete, Interrupt& interrupt,
              const std::function<void(const std::vector<Row>&)>& write, RunObserver& observer) {
  const Limits limits = limits_of(options);
  const auto begin = std::chrono::steady_clock::now();
  std::mt19937_64 random(options.seed.value());
  std::vector<NoiseReading> noise;
  GroupLimits group_limits;
  group_limits.stop.precision = limits.precision;
  group_limits.stop.budget_ns = limits.case_budget * 1e9;
  group_limits.sample_limit_ns = limits.case_budget * 1e9;
  group_limits.time_limit = limits.time_limit;
  group_limits.seed = options.seed.value();
  const auto spent = [begin] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  group_limits.run_budget_spent = [&] {
    return limits.run_budget > 0 && spent() > limits.run_budget;
  };

  RunCeilings ceilings(interrupt);
  const std::set<std::pair<std::string, unsigned>> left_out(complete.begin(), complete.end());
  const std::size_t memory = memory_for_a_group();
  WorkerPool workers(options.settings, interrupt);
  std::size_t done_before = 0;
  int next_id = 0;
  const auto cases_of = [&](unsigned round) {
    Cases planned;
    for (const PlannedCase& one : plan.cases)
      if (!left_out.contains({one.name, round})) planned.push_back(&one);
    return planned;
  };
  std::size_t left = 0, usable_left = 0;  // in all rounds
  for (unsigned round = 1; round <= limits.rounds; ++round) {
    const Cases planned = cases_of(round);
    left += planned.size();
    usable_left += count_usable(planned);
  }
  observer.started(left, limits.rounds);
  for (unsigned round = 1; round <= limits.rounds; ++round) {
    for (const Cases& group : take_turns(cases_of(round), memory)) {
      std::vector<CaseRun> runs = case_runs(group, round, next_id, memory);
      if (limits.run_target > 0)
        group_limits.stop.share_ns = 1e9 * share_of_a_case(limits, spent(), usable_left);
      usable_left -= count_usable(group);
      for (const PlannedCase* one : group) ceilings.measure(*one, workers);
      const auto keep = [&] {
        // What the run did not come to stands last in the report, where --resume takes it back.
        std::stable_partition(runs.begin(), runs.end(),
                              [](const CaseRun& run) { return run.reason != budget_spent_before; });
        std::vector<Row> rows;
        for (const CaseRun& run : runs)
          if (run.done) rows.push_back(make_row(context, run, ceilings.known(run)));
        write(rows);
        for (const Row& row : rows) observer.measured(row);
      };
      const auto count_done = [&] {
        return done_before +
               static_cast<std::size_t>(std::count_if(runs.begin(), runs.end(),
                                                      [](const CaseRun& r) { return r.done; }));
      };
      if (noise.size() > most_noise_remembered)
        noise.erase(noise.begin(), noise.end() - most_noise_remembered);
      try {
        Group(
            runs, workers, interrupt, group_limits, random, noise,
            [&](const CaseRun& run) { observer.step(run.planned->name, count_done()); },
            [&] { return ceilings.measure_again(runs, workers); })
            .measure();
      } catch (const Interrupted&) {
        keep();
        throw;
      }
      keep();
      done_before += runs.size();
    }
    workers.discard_all();
  }
}

}  // namespace breakeven
