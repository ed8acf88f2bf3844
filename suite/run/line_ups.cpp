// SPDX-License-Identifier: Apache-2.0
#include "suite/run/line_ups.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "suite/machine/control_group.hpp"
#include "suite/machine/text_file.hpp"
#include "suite/protocol/worker_process.hpp"

namespace breakeven {

namespace {

// Visits of a case are spread over the time its line-up takes: so many last seconds.
constexpr std::size_t most_contenders = 24;
constexpr Seconds limit{60};

// Of the machine, with the pages of files that the kernel would give back.
double free_memory() {
  if (const auto text = entry("/proc/meminfo", "MemAvailable", ':'))  // `23785732 kB`
    return std::strtod(text->c_str(), nullptr) * 1024;
  return static_cast<double>(sysconf(_SC_AVPHYS_PAGES)) *
         static_cast<double>(sysconf(_SC_PAGESIZE));
}

// What is used of a room.
class Use {
 public:
  void add(const PlannedCase& one) {
    const auto bytes = static_cast<double>(one.definition->footprint(one.key));
    used_.host += bytes;
    for (const std::string& hardware : hardware_of(*one.plugin, one.key.device))
      used_.devices[hardware] += bytes;
  }
  bool fits(const Room& room) const {
    return used_.host <= room.host &&
           std::all_of(used_.devices.begin(), used_.devices.end(), [&](const auto& used) {
             const auto has = room.devices.find(used.first);
             return has == room.devices.end() || used.second <= has->second;
           });
  }

 private:
  Room used_;
};

Use use_of(const std::vector<const PlannedCase*>& cases) {
  Use use;
  for (const PlannedCase* one : cases) use.add(*one);
  return use;
}

// What is compared: the key without where it is computed.
Key question_of(const PlannedCase& planned) {
  Key key = planned.key;
  key.backend.clear();
  key.device = 0;
  if (planned.definition->modes_are_devices()) key.backend = planned.key.backend;
  return key;
}

struct Match {
  Key question;
  std::vector<const PlannedCase*> cases;
};

std::vector<Match> matches_of(const std::vector<const PlannedCase*>& planned) {
  std::vector<Match> matches;
  std::map<std::string, std::size_t> places;
  for (const PlannedCase* one : planned) {
    const Key question = question_of(*one);
    const auto [place, is_new] = places.try_emplace(name_of(question), matches.size());
    if (is_new) matches.push_back({question, {}});
    matches[place->second].cases.push_back(one);
  }
  return matches;
}

using Cases = std::vector<const PlannedCase*>;

// In the order of the plan; in each only backends that can live together.
std::vector<Cases> living_together(const Cases& planned) {
  std::vector<Cases> groups;
  std::vector<std::set<const Plugin*>> plugins;
  for (const PlannedCase* one : planned) {
    std::size_t group = 0;
    while (group < groups.size() &&
           std::any_of(plugins[group].begin(), plugins[group].end(), [&](const Plugin* other) {
             return exclude_each_other(*other, *one->plugin);
           }))
      ++group;
    if (group == groups.size()) {
      groups.emplace_back();
      plugins.emplace_back();
    }
    groups[group].push_back(one);
    plugins[group].insert(one->plugin);
  }
  return groups;
}

class Planner {
 public:
  explicit Planner(const Room& room) : room_(room) {}

  // What comes is beside nothing that came before.
  void begin_group() { is_open_ = false; }

  void add(const Match& match, Unpaired why) {
    std::vector<const PlannedCase*> usable;
    for (const PlannedCase* one : match.cases) {
      if (!one->plugin->usable())
        end(*one, Status::unavailable, *one->plugin->reason);
      else if (!use_of({one}).fits(room_))
        end(*one, Status::out_of_memory,
            fmt::format("needs {} MiB, a line-up may use {:.0f} MiB",
                        one->definition->footprint(one->key) >> 20, room_.least() / (1 << 20)));
      else
        usable.push_back(one);
    }
    if (usable.empty()) return;
    if (usable.front()->definition->needs_fresh_worker() || !use_of(usable).fits(room_)) {
      const bool takes_turns =
          usable.size() > 1 && !usable.front()->definition->needs_fresh_worker();
      for (const PlannedCase* one : usable) {
        place({one}, true, takes_turns ? Unpaired::memory : why);
      }
    } else {
      place(usable, false, why);
    }
  }

  std::vector<LineUpPlan> result() && { return std::move(plans_); }

 private:
  void place(const std::vector<const PlannedCase*>& cases, bool alone, Unpaired why) {
    std::vector<const PlannedCase*> together = open_;
    together.insert(together.end(), cases.begin(), cases.end());
    if (plans_.empty() || !is_open_ || alone || together.size() > most_contenders ||
        !use_of(together).fits(room_)) {
      plans_.emplace_back();
      together = cases;
    }
    for (const PlannedCase* one : cases) contender(*one).unpaired = why;
    ++match_;
    open_ = std::move(together);
    is_open_ = !alone;
  }

  Contender& contender(const PlannedCase& planned) {
    Contender& added = plans_.back().contenders.emplace_back();
    added.planned = &planned;
    added.match = match_;
    return added;
  }

  void end(const PlannedCase& planned, Status status, std::string reason) {
    if (plans_.empty()) plans_.emplace_back();
    contender(planned).end(status, std::move(reason));
  }

  const Room& room_;
  std::vector<LineUpPlan> plans_;
  std::vector<const PlannedCase*> open_;  // that fill the last line-up
  bool is_open_ = false;
  std::size_t match_ = 0;
};

}  // namespace

double Room::least() const {
  double least = host;
  for (const auto& [hardware, bytes] : devices) least = std::min(least, bytes);
  return least;
}

Room room_for_line_ups(const std::vector<const PlannedCase*>& planned, Workers& workers) {
  std::set<std::pair<const Plugin*, std::size_t>> places;
  for (const PlannedCase* one : planned)
    if (one->plugin->usable() && !workers.set_aside(one->plugin))
      places.emplace(one->plugin, one->key.device);
  Room room;
  for (int pass = 0; pass < 2; ++pass)  // first all are opened, then all are asked
    for (const auto& [plugin, device] : places) try {
        WorkerClient& worker = workers.running(plugin);
        const std::vector<std::string> hardware = hardware_of(*plugin, device);
        if (pass == 0 || hardware.empty()) continue;
        const double free = 0.9 * worker.ask(AskFreeMemory{device}, limit).value.bytes;
        if (free <= 0) continue;
        // A device made of several says what is free on all of them.
        for (const std::string& word : hardware) {
          double& bytes = room.devices.try_emplace(word, free).first->second;
          bytes = std::min(bytes, free);
        }
      } catch (const Workers::NotUsable&) {  // the rows of its cases will tell
      } catch (const BadAnswer&) {
        workers.discard(plugin);
      } catch (const WorkerEnded&) {
        workers.discard(plugin);
      }
  const double free = free_memory();
  room.host = std::min(free, ControlGroup().free_memory().value_or(free)) / 2;
  return room;
}

std::vector<LineUpPlan> line_ups_of(const std::vector<const PlannedCase*>& planned,
                                    const Room& room) {
  const std::vector<Cases> groups = living_together(planned);
  std::map<std::string, std::size_t> in_groups;
  for (const Cases& group : groups)
    for (const Match& match : matches_of(group)) ++in_groups[name_of(match.question)];
  Planner planner(room);
  for (const Cases& group : groups) {
    planner.begin_group();
    for (const Match& match : matches_of(group))
      planner.add(match,
                  in_groups[name_of(match.question)] > 1 ? Unpaired::exclusive : Unpaired::no);
  }
  return std::move(planner).result();
}

}  // namespace breakeven
