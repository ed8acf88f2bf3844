// SPDX-License-Identifier: Apache-2.0
#include "suite/run/rows.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/schema/ceiling_share.hpp"
#include "reports/schema/samples.hpp"
#include "reports/statistics/order_statistics.hpp"
#include "reports/statistics/visit_interval.hpp"
#include "suite/machine/environment.hpp"
#include "suite/model/clock.hpp"

namespace breakeven {

namespace {

void set_size(Row& row, Column column, std::size_t value) {
  if (value > 0) row.set(column, value);
}

void set_positive(Row& row, Column column, double value) {
  if (value > 0) row.set(column, value);
}

std::vector<double> flatten(const std::vector<std::vector<double>>& visits) {
  std::vector<double> all;
  for (const auto& visit : visits) all.insert(all.end(), visit.begin(), visit.end());
  return all;
}

// The median of the visits' medians, as for the wall clock.
void set_median(Row& row, Column column, const std::vector<std::vector<double>>& visits) {
  std::vector<double> medians;
  for (const auto& visit : visits)
    if (!visit.empty()) medians.push_back(median(visit));
  if (!medians.empty()) row.set(column, median(medians));
}

void set_times(Row& row, const Contender& measured) {
  std::vector<std::vector<double>> wall, enqueue, device;
  for (const Visit& visit : measured.visits) {
    wall.push_back(visit.wall);
    enqueue.push_back(visit.enqueue);
    device.push_back(visit.device);
  }
  std::vector<double> sorted = flatten(wall);
  if (sorted.empty()) return;
  std::sort(sorted.begin(), sorted.end());

  const double middle = median(measured.visit_medians);
  row.set(Column::median_ns, middle);
  if (const auto interval = visit_interval(measured.visit_medians)) {
    row.set(Column::median_low_ns, interval->low);
    row.set(Column::median_high_ns, interval->high);
  }
  row.set(Column::min_ns, sorted.front());
  row.set(Column::p25_ns, quantile_sorted(sorted, 0.25));
  row.set(Column::p75_ns, quantile_sorted(sorted, 0.75));
  if (sorted.size() >= 20) row.set(Column::p95_ns, quantile_sorted(sorted, 0.95));
  set_median(row, Column::enqueue_median_ns, enqueue);
  set_median(row, Column::device_median_ns, device);
  if (measured.prepared.work.flops > 0)
    row.set(Column::flops_per_s, measured.prepared.work.flops / middle * 1e9);
  if (measured.prepared.work.bytes > 0)
    row.set(Column::bytes_per_s, measured.prepared.work.bytes / middle * 1e9);

  row.set(Column::samples_ns, format_samples(wall));
  row.set(Column::enqueue_samples_ns, format_samples(enqueue));
  row.set(Column::device_samples_ns, format_samples(device));
  row.set(Column::n_samples, sorted.size());
  row.set(Column::n_visits, measured.visits.size());
}

}  // namespace

namespace {

void set_ceiling(Row& row, const std::optional<CeilingShare>& ceiling) {
  if (!ceiling || ceiling->share > largest_ceiling_share) return;
  row.set(Column::ceiling, ceiling->value);
  row.set(Column::ceiling_unit, ceiling->unit);
  row.set(Column::ceiling_source, ceiling->source);
  row.set(Column::ceiling_share, ceiling->share);
}

// Beside the burst, which the share is of.
void add_sustained(Pairs& details, const std::optional<CeilingShare>& ceiling) {
  if (!ceiling || !ceiling->sustained) return;
  const Sustained& sustained = *ceiling->sustained;
  details.emplace_back("sustained_flop_per_s", fmt::format("{:.6g}", sustained.value));
  details.emplace_back("sustained_low_flop_per_s", fmt::format("{:.6g}", sustained.low));
  if (sustained.mhz > 0)
    details.emplace_back("sustained_mhz", fmt::format("{:.0f}", sustained.mhz));
}

Pairs texts_of(const Readings& readings) {
  Pairs texts;
  for (const auto& [key, value] : readings.values)
    texts.emplace_back(key, fmt::format("{}", value));
  return texts;
}

// A bar where another process begins.
std::string format_sweeps(const Contender& measured) {
  std::string text;
  for (std::size_t i = 0; i < measured.sweeps.size(); ++i) {
    if (i > 0) text += measured.processes[i] == measured.processes[i - 1] ? ' ' : '|';
    text += std::to_string(measured.sweeps[i]);
  }
  return text;
}

// What the worker inherited, with what it was given on top, and where its threads ran.
Pairs environment_of(const Contender& measured) {
  const auto& given = measured.planned->plugin->environment;
  Pairs environment = inherited_environment();
  std::erase_if(environment, [&](const auto& variable) { return given.contains(variable.first); });
  environment.insert(environment.end(), given.begin(), given.end());
  std::sort(environment.begin(), environment.end());
  environment.emplace_back("observed_binding", measured.finished.binding);
  return environment;
}

// For how much of the time that was sampled the device was held back by its power limit.
double power_capped(const Contender& measured) {
  if (measured.sampled_ns <= 0) return 0;
  return std::min(1.0, measured.power_throttle_ns / measured.sampled_ns);
}

// Of one repetition.
void set_energy(Row& row, const Metered& metered) {
  if (metered.joules && metered.repetitions > 0)
    row.set(Column::energy_j, *metered.joules / metered.repetitions);
}

// The lowest and the highest of all visits, and in how many it did not stand when they began.
void add_clocks(Pairs& details, const Contender& measured) {
  if (measured.sm_clocks_mhz.empty()) return;
  const auto [low, high] =
      std::minmax_element(measured.sm_clocks_mhz.begin(), measured.sm_clocks_mhz.end());
  details.emplace_back("sm_clock_mhz", fmt::format("{:.0f}", median(measured.sm_clocks_mhz)));
  details.emplace_back("sm_clock_low_mhz", fmt::format("{:.0f}", *low));
  details.emplace_back("sm_clock_high_mhz", fmt::format("{:.0f}", *high));
  details.emplace_back("unsteady_visits", std::to_string(measured.unsteady_visits));
}

}  // namespace

void keep_medians_of_visits(Row& row) {
  for (const Column column :
       {Column::samples_ns, Column::enqueue_samples_ns, Column::device_samples_ns}) {
    Visits visits = parse_samples(row.text(column)).value_or(Visits{});
    for (auto& visit : visits)
      if (!visit.empty()) visit = {median(visit)};
    row.set(column, format_samples(visits));
  }
}

void set_key(Row& row, const Key& key) {
  row.set(Column::case_name, key.case_name);
  row.set(Column::backend, key.backend);
  row.set(Column::device, device_name(key));
  row.set(Column::type, stored_name(key.type));
  row.set(Column::math, math_name(key.math));
  row.set(Column::mode, key.mode);
  set_size(row, Column::m, key.m);
  set_size(row, Column::n, key.n);
  set_size(row, Column::k, key.k);
  set_size(row, Column::batch, key.batch);
  set_size(row, Column::count, key.count);
  set_size(row, Column::bytes, key.bytes);
  row.set(Column::memory, key.memory);
  row.set(Column::direction, key.direction);
  row.set(Column::cache, key.cache);
  row.set(Column::devices, key.devices);
  row.set(Column::feeders, key.feeders);
}

void set_backend(Row& row, const Plugin& plugin, std::size_t device) {
  row.set(Column::backend_version, plugin.version);
  row.set(Column::backend_compiler, plugin.compiler);
  row.set(Column::backend_flags, plugin.flags);
  row.set(Column::backend_facts, format_pairs(plugin.facts));
  Pairs options;
  for (const PluginOption& option : plugin.options)
    if (!option.value.empty()) options.emplace_back(option.name, option.value);
  row.set(Column::options, format_pairs(options));
  if (device >= plugin.devices.size()) return;
  const PluginDevice& facts = plugin.devices[device];
  row.set(Column::device_name, facts.maker_name);
  row.set(Column::device_memory_bytes, facts.memory_bytes);
  row.set(Column::device_facts, format_pairs(facts.facts));
  row.set(Column::device_kind, kind_name(facts.kind));
  row.set(Column::hardware, facts.hardware);
}

Row make_row(const Row& context, const Contender& measured,
             const std::optional<CeilingShare>& ceiling) {
  Row row = context;
  const PlannedCase& planned = *measured.planned;
  row.set(Column::utc, utc_now("%Y-%m-%dT%H:%M:%SZ"));
  row.set(Column::round, measured.round);
  row.set(Column::name, planned.name);
  set_key(row, planned.key);
  set_backend(row, *planned.plugin, planned.key.device);
  row.set(Column::device_requested, planned.device_requested);
  row.set(Column::question, planned.definition->course_question(planned.key));

  row.set(Column::status, measured.status);
  row.set(Column::reason, measured.reason);
  if (measured.status != Status::ok) row.set(Column::error_output, measured.output);
  for (const auto& [name, text] : measured.finished.columns)
    if (const auto column = column_named(name)) row.set(*column, text);
  row.set(Column::line_up, measured.line_up);
  row.set(Column::base, measured.finished.base);
  Pairs details = measured.finished.details;
  if (measured.unpaired != Unpaired::no)
    details.emplace_back("unpaired",
                         measured.unpaired == Unpaired::memory ? "memory" : "exclusive");
  if (!measured.audits.empty()) {
    details.emplace_back("audits", std::to_string(measured.audits.size()));
    details.emplace_back("slow_audits", std::to_string(measured.slow_audits));
    details.emplace_back("audits_ns", fmt::format("{:.0f}", measured.audits_ns));
  }
  if (measured.is_second_attempt) details.emplace_back("attempt", "2");
  add_clocks(details, measured);
  if (const double share = power_capped(measured); share > 0)
    details.emplace_back("power_capped", fmt::format("{:.3f}", share));
  if (measured.status == Status::ok) add_sustained(details, ceiling);
  row.set(Column::details, format_pairs(details));
  set_positive(row, Column::flops, measured.prepared.work.flops);
  set_positive(row, Column::work_bytes, measured.prepared.work.bytes);
  if (!measured.prepared.verification.method.empty()) {
    row.set(Column::verify_method, measured.prepared.verification.method);
    row.set(Column::verify_error, measured.prepared.verification.error);
    row.set(Column::verify_tolerance, measured.prepared.verification.tolerance);
  }
  if (measured.stop) row.set(Column::stop_reason, name_of(*measured.stop));
  if (measured.status != Status::ok) return row;

  set_times(row, measured);
  set_ceiling(row, ceiling);
  set_energy(row, measured.metered);
  row.set(Column::batch_repetitions, measured.prepared.repetitions);
  row.set(Column::readings_before, format_pairs(texts_of(measured.readings_before)));
  row.set(Column::readings_after, format_pairs(texts_of(measured.readings_after)));
  row.set(Column::environment, format_pairs(environment_of(measured)));
  row.set(Column::sweeps, format_sweeps(measured));
  if (measured.visit_noise.empty()) return row;  // nobody watched
  row.set(Column::disturbed, measured.disturbances.size());
  std::set<std::string> kinds(measured.disturbances.begin(), measured.disturbances.end());
  row.set(Column::disturbances, fmt::format("{}", fmt::join(kinds, ", ")));
  return row;
}

}  // namespace breakeven
