// SPDX-License-Identifier: Apache-2.0
#include "suite/engine/ceiling_watch.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "reports/statistics/order_statistics.hpp"
#include "suite/model/type_names.hpp"
#include "suite/protocol/worker_process.hpp"

namespace breakeven {

namespace {

constexpr Seconds limit{60};
constexpr std::pair<const Plugin*, std::size_t> machine{nullptr, 0};

// What an algorithm may save of the operations that are counted: three levels of Strassen's are a
// third.
constexpr double saved = 1.5;
// What other load may hide of a ceiling beyond that: honest rows have reached six times one.
constexpr double hidden = 20;

// Units for matrices do that many times what vectors of f32 or f64 do: AMX has 2048 operations of
// bf16 in a cycle where AVX-512 has 64 of f32.
double gain_of(Type type, Math math) {
  if (type == Type::f16 || type == Type::bf16) return 32;
  return math == Math::native ? 1 : 16;
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

void CeilingWatch::measure(const Place& place, std::vector<std::string> names, Workers& workers) {
  const Plugin* const plugin = place.first;
  const std::int64_t begin_ns = steady_clock().now();
  Ceilings measured;
  try {
    auto reply = workers.running(plugin).ask(
        MeasureCeilings{place.second, std::move(names), budget_ns_}, limit);
    if (reply.ok()) measured = std::move(reply.value.ceilings);
    if (reply.outcome.status == Status::out_of_memory) refused_.insert(place);
    if (reply.outcome.lost) workers.discard(plugin);
  } catch (const Workers::NotUsable&) {
  } catch (const BadAnswer&) {
    workers.discard(plugin);
  } catch (const WorkerEnded&) {
    workers.discard(plugin);
  }
  logs_[place].add(begin_ns, steady_clock().now(), measured);
}

void CeilingWatch::measure_all(const PlannedCase& planned, Workers& workers) {
  if (!planned.plugin->usable()) return;
  if (!logs_.contains(machine)) measure(machine, {}, workers);
  const Place device(planned.plugin, planned.key.device);
  if (logs_.contains(device) || workers.set_aside(planned.plugin)) return;
  // What a CPU computes and moves is held against the machine.
  const bool is_cpu = planned.plugin->devices.at(planned.key.device).kind == Kind::cpu;
  measure(device, is_cpu ? std::vector<std::string>{"launch"} : std::vector<std::string>(),
          workers);
}

bool CeilingWatch::visit(std::span<const Contender> line_up, Workers& workers) {
  std::set<std::pair<Place, std::string>> wanted;
  for (const Contender& subject : line_up) {
    if (!subject.going_on() || !subject.ready) continue;
    const auto bound = binding(subject, 1);
    if (!bound) continue;
    const Place device(subject.planned->plugin, subject.planned->key.device);
    for (const std::string& name : bound->measured)
      for (const Place& place : {Place(machine), device})
        if (const auto log = logs_.find(place); log != logs_.end() && log->second.has(name))
          wanted.emplace(place, name);
  }
  bool any = false;
  for (const auto& [place, name] : wanted)
    // A worker that left would have to be opened anew, and its cases with it.
    if ((!place.first || workers.idle(place.first)) &&
        logs_[place].is_due(name, steady_clock().now())) {
      measure(place, {name}, workers);
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

std::optional<std::string> CeilingWatch::implausible(const Contender& measured, Workers& workers) {
  constexpr int looks = 10;
  const PlannedCase& planned = *measured.planned;
  if (measured.visit_medians.empty()) return std::nullopt;
  const double ns = median(measured.visit_medians);
  const auto name_rates = [](double rate, double most, std::string_view unit, std::string_view of) {
    return fmt::format("{:.3g} {}, where {} is {:.3g} at most", rate, unit, of, most);
  };
  const double flops = measured.prepared.work.flops / ns * 1e9;
  const PluginDevice& device = planned.plugin->devices.at(planned.key.device);
  if (device.kind != Kind::cpu) {
    const std::string peak =
        fmt::format("peak_{}_flop_per_s", type_name(planned.key.type, planned.key.math));
    for (const auto& [key, value] : device.facts) {
      const double most = std::atof(value.c_str()) * static_cast<double>(planned.key.devices);
      if (key == peak && most > 0 && flops > most * saved)
        return name_rates(flops, most, "flop/s", peak);
    }
    return std::nullopt;
  }

  const auto log = logs_.find(machine);
  if (log == logs_.end()) return std::nullopt;
  const bool f64 = planned.key.type == Type::f64;
  const std::string fma = f64 ? "fma_f64" : "fma_f32";
  const double bytes = measured.prepared.work.bytes / ns * 1e9;
  for (int look = 0;; ++look) {
    const double most_flops = log->second.best(fma) * gain_of(planned.key.type, planned.key.math);
    const double most_bytes = std::max(log->second.best("read_all"), log->second.best("triad_all"));
    const bool computes_too_fast = most_flops > 0 && flops > most_flops * hidden;
    if (!computes_too_fast && !(most_bytes > 0 && bytes > most_bytes * hidden)) return std::nullopt;
    if (look == looks)
      return computes_too_fast
                 ? name_rates(flops, most_flops, "flop/s", fma + " of all processors")
                 : name_rates(bytes, most_bytes, "byte/s", "what the first caches read");
    measure(machine, {computes_too_fast ? fma + "_all" : "read_all_l1"}, workers);
  }
}

std::optional<CeilingShare> CeilingWatch::ceiling_of(const Contender& measured) const {
  if (measured.visit_medians.empty()) return std::nullopt;
  return binding(measured, median(measured.visit_medians));
}

}  // namespace breakeven
