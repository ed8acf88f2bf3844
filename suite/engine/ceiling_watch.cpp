// SPDX-License-Identifier: Apache-2.0
#include "suite/engine/ceiling_watch.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "reports/statistics/order_statistics.hpp"
#include "suite/model/type_names.hpp"
#include "suite/protocol/worker_process.hpp"

namespace breakeven {

namespace {

constexpr Seconds limit{60};
constexpr std::pair<const Plugin*, std::size_t> machine{nullptr, 0};
// Of a device, beside launches and products.
constexpr std::array moving{"multiply_add", "network",  "peer",    "exchange",
                            "copy_h2d",     "copy_d2h", "copy_d2d"};

// What an algorithm may save of the operations that are counted: three levels of Strassen's are a
// third.
constexpr double saved = 1.5;
// What a clock that was low and a core that was shared hide of a burst.
constexpr double hidden_of_burst = 2 * saved;
// What is known is measured again for no more than this share of the time.
constexpr double most_of_again = 0.05;
// The first caches of a device read so much faster than its memory.
constexpr double faster_caches = 10;

// The processors of this machine compute it: not those of another host, and no other device.
bool computes_here(const Plugin& plugin, std::size_t device) {
  return plugin.devices.at(device).kind == Kind::cpu ||
         std::all_of(plugin.devices.begin(), plugin.devices.end(),
                     [](const PluginDevice& each) { return each.hardware == "host"; });
}

std::string product_name(const Key& key) {
  return fmt::format("gemm_{}", type_name(key.type, key.math));
}

bool is_gpu(const std::pair<const Plugin*, std::size_t>& device) {
  return device.first->devices.at(device.second).kind == Kind::gpu;
}

// Of one device, as the tasks say, or it itself, or its backend for all of them.
std::size_t threads_of(const Contender& subject) {
  if (subject.prepared.threads > 0) return subject.prepared.threads;
  const Plugin& plugin = *subject.planned->plugin;
  const std::size_t device = subject.planned->key.device;
  for (const Facts* facts : {&plugin.devices.at(device).facts, &plugin.facts})
    for (const auto& [key, value] : *facts)
      if (key == "threads") return static_cast<std::size_t>(std::max(1, std::atoi(value.c_str())));
  return 1;
}

}  // namespace

void CeilingWatch::measure(const Place& place, std::vector<std::string> names, Workers& workers,
                           bool is_first_look) {
  const Plugin* const plugin = place.first;
  const std::int64_t begin_ns = steady_clock().now();
  Ceilings measured;
  const auto lost = [&] {
    workers.discard(plugin);
    lost_.insert(place);
  };
  try {
    auto reply = workers.running(plugin).ask(
        MeasureCeilings{place.second, std::move(names), budget_ns_}, limit);
    if (reply.ok()) measured = std::move(reply.value.ceilings);
    if (reply.outcome.status == Status::out_of_memory) refused_.insert(place);
    if (reply.outcome.lost) lost();
  } catch (const Workers::NotUsable&) {
  } catch (const BadAnswer&) {
    lost();
  } catch (const WorkerEnded&) {
    lost();
  }
  const std::int64_t end_ns = steady_clock().now();
  CeilingLog& log = logs_[place];
  if (is_first_look && measured.empty()) return;  // what is known is not asked sooner for that
  // What all of them took delays none of them.
  log.add(is_first_look ? end_ns : begin_ns, end_ns, measured);
}

void CeilingWatch::measure_all(const PlannedCase& planned, Workers& workers) {
  if (!planned.plugin->usable()) return;
  if (!logs_.contains(machine)) measure(machine, {}, workers, true);
  const Place device(planned.plugin, planned.key.device);
  if (lost_.contains(device) || workers.set_aside(planned.plugin)) return;
  std::vector<std::string> names;
  if (!logs_.contains(device)) names.emplace_back("launch");
  // What a CPU computes and moves is held against the machine.
  if (planned.plugin->devices.at(planned.key.device).kind != Kind::cpu) {
    if (!names.empty()) names.insert(names.end(), moving.begin(), moving.end());
    const std::string product = product_name(planned.key);
    if (sought_.emplace(device, product).second) names.push_back(product);
  }
  if (!names.empty()) measure(device, std::move(names), workers, true);
}

bool CeilingWatch::visit(std::span<const Contender> line_up, Workers& workers) {
  std::set<std::pair<std::string, Place>> wanted;  // the same of all devices before the next
  for (const Contender& subject : line_up) {
    if (!subject.going_on() || !subject.ready) continue;
    const auto bound = binding(subject, 1);
    if (!bound) continue;
    const Place device(subject.planned->plugin, subject.planned->key.device);
    for (const std::string& name : bound->measured) {
      for (const Place& place : {Place(machine), device})
        if (const auto log = logs_.find(place); log != logs_.end() && log->second.due_ns(name))
          wanted.emplace(name, place);
      if (is_gpu(device) && name.starts_with("gemm_"))
        wanted.emplace(sustained_name(name, subject.planned->key.devices), device);
    }
  }
  const std::int64_t now_ns = steady_clock().now();
  if (began_ns_ == 0) began_ns_ = now_ns;
  // A worker that left would have to be opened anew, and its cases with it.
  const auto may_ask = [&](const Place& place) {
    return (!place.first || workers.idle(place.first)) && !lost_.contains(place);
  };
  std::multimap<std::int64_t, std::pair<std::string, Place>> due;
  for (const auto& [name, place] : wanted) {
    const std::int64_t due_ns = logs_[place].due_ns(name).value_or(0);
    if (due_ns <= now_ns && may_ask(place)) due.emplace(due_ns, std::pair(name, place));
  }
  bool any = false;
  double rest_ns = most_of_again * static_cast<double>(now_ns - began_ns_) - again_ns_;
  for (const auto& [due_ns, one] : due) {
    const auto& [name, place] = one;
    if (!may_ask(place)) continue;  // its worker may have left with another ceiling
    const bool is_new = due_ns == 0;
    // What is not known yet, which is what GPUs sustain, is sought once.
    if (is_new ? sustaining_ns_ <= 0 || !sought_.emplace(place, name).second : rest_ns <= 0)
      continue;
    const std::int64_t begin_ns = steady_clock().now();
    measure(place, {name}, workers);
    const auto took_ns = static_cast<double>(steady_clock().now() - begin_ns);
    if (is_new) {
      sustaining_ns_ -= took_ns;
    } else {
      again_ns_ += took_ns;
      rest_ns -= took_ns;
    }
    any = true;
  }
  return any;
}

std::optional<CeilingShare> CeilingWatch::binding(const Contender& subject,
                                                  double median_ns) const {
  const PlannedCase& planned = *subject.planned;
  const auto known = [&](const Place& place) {
    const auto log = logs_.find(place);
    return log == logs_.end() ? Ceilings{}
                              : log->second.between(subject.began_ns, subject.ended_ns);
  };
  return breakeven::ceiling_of(
      planned.key, subject.prepared.work, median_ns,
      {planned.plugin->devices.at(planned.key.device).kind, threads_of(subject)}, known(machine),
      known({planned.plugin, planned.key.device}));
}

bool CeilingWatch::refused(const PlannedCase& planned) const {
  return refused_.contains({planned.plugin, planned.key.device});
}

std::vector<CeilingWatch::Held> CeilingWatch::held_against(const Contender& measured,
                                                           Workers& workers) {
  std::vector<Held> all;
  if (measured.visit_medians.empty()) return all;
  const PlannedCase& planned = *measured.planned;
  const Work& work = measured.prepared.work;
  const double seconds = median(measured.visit_medians) * 1e-9;
  const std::string type(type_name(planned.key.type, planned.key.math));
  if (computes_here(*planned.plugin, planned.key.device)) {
    const auto hold = [&](double amount, const std::string& burst, std::string_view unit) {
      if (amount <= 0) return;
      CeilingLog& log = logs_[machine];
      if (log.best(burst) == 0) measure(machine, {burst}, workers);
      all.push_back({amount / seconds, log.best(burst), hidden_of_burst, burst, unit});
    };
    hold(work.flops, "burst_" + type, "flop/s");
    hold(work.bytes - work.copied.exchanged, "burst_bytes", "byte/s");
    return all;
  }
  const auto hold = [&](double amount, const std::string& peak, double hidden,
                        std::string_view unit) {
    for (const auto& [key, value] : planned.plugin->devices.at(planned.key.device).facts)
      if (key == peak)
        all.push_back({amount / seconds,
                       std::atof(value.c_str()) * static_cast<double>(planned.key.devices), hidden,
                       peak, unit});
  };
  hold(work.flops, "peak_" + type + "_flop_per_s", saved, "flop/s");
  hold(work.bytes - work.copied.all(), "peak_memory_byte_per_s", faster_caches, "byte/s");
  return all;
}

bool CeilingWatch::is_above(const Contender& measured, Workers& workers) {
  const std::vector<Held> all = held_against(measured, workers);
  return std::any_of(all.begin(), all.end(),
                     [](const Held& one) { return one.most > 0 && one.rate > one.most; });
}

std::optional<std::string> CeilingWatch::implausible(const Contender& measured, Workers& workers) {
  constexpr int looks = 10;
  for (int look = 0;; ++look) {
    const std::vector<Held> all = held_against(measured, workers);
    const auto above = std::find_if(all.begin(), all.end(), [](const Held& one) {
      return one.most > 0 && one.rate > one.most * one.hidden;
    });
    if (above == all.end()) return std::nullopt;
    const bool can_look = computes_here(*measured.planned->plugin, measured.planned->key.device);
    if (look == looks || !can_look)
      return fmt::format("{:.3g} {}, where {} is {:.3g} and {:.3g} is the most that is believed",
                         above->rate, above->unit, above->of, above->most,
                         above->most * above->hidden);
    measure(machine, {above->of}, workers);
  }
}

std::optional<CeilingShare> CeilingWatch::ceiling_of(const Contender& measured) const {
  if (measured.visit_medians.empty()) return std::nullopt;
  return binding(measured, median(measured.visit_medians));
}

}  // namespace breakeven
