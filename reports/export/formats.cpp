// SPDX-License-Identifier: Apache-2.0
#include "reports/export/formats.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "reports/compare/measurement.hpp"
#include "reports/statistics/order_statistics.hpp"
#include "reports/text/usage.hpp"

namespace breakeven {
namespace {

using nlohmann::ordered_json;

std::string dumped(const ordered_json& json) {
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

bool is_search(const RowView& row) {
  return row.text(Column::mode) == "find";
}

void each_row(std::span<const Report> reports, const std::function<void(const RowView&)>& use) {
  for (const Report& report : reports)
    for (std::size_t i = 0; i < report.size(); ++i)
      if (const RowView row = report.row(i); !is_search(row)) use(row);
}

// A case of one machine, over its rounds.
struct Case {
  std::string machine, name, case_name, backend;
  comparison::Measurement measurement;
  comparison::Summary time;                 // nanoseconds
  double flops_per_s = 0, bytes_per_s = 0;  // 0: it has none
};

double rate(const std::vector<double>& rates) {
  return rates.empty() ? 0 : median(rates);
}

std::vector<Case> cases_of(std::span<const Report> reports) {
  struct Rounds {
    std::size_t first = 0;
    std::vector<double> flops, bytes;
  };
  std::vector<Case> cases;
  std::map<std::pair<std::string, std::string>, Rounds> known;
  each_row(reports, [&](const RowView& row) {
    if (row.status() != Status::ok) return;
    const std::string machine(row.text(Column::machine)), name(row.text(Column::name));
    const auto [place, is_new] = known.try_emplace({machine, name}, Rounds{cases.size(), {}, {}});
    if (is_new)
      cases.push_back({machine,
                       name,
                       std::string(row.text(Column::case_name)),
                       std::string(row.text(Column::backend)),
                       {},
                       {}});
    comparison::Measurement& measurement = cases[place->second.first].measurement;
    if (measurement.round_medians.empty()) measurement.visits_interval = row.visits_interval();
    measurement.round_medians.push_back(*row.real(Column::median_ns));
    if (const auto flops = row.real(Column::flops_per_s)) place->second.flops.push_back(*flops);
    if (const auto bytes = row.real(Column::bytes_per_s)) place->second.bytes.push_back(*bytes);
  });
  for (const auto& [key, rounds] : known) {
    Case& one = cases[rounds.first];
    one.time = *comparison::summary(one.measurement);
    one.flops_per_s = rate(rounds.flops);
    one.bytes_per_s = rate(rounds.bytes);
  }
  return cases;
}

// As the exposition format wants the text between quotes.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\\' || c == '"') result += '\\';
    if (c == '\n')
      result += "\\n";
    else
      result += c;
  }
  return result += '"';
}

}  // namespace

std::string google_benchmark_json(std::span<const Report> reports) {
  ordered_json context{{"executable", "breakeven"},
                       {"caches", ordered_json::array()},
                       {"load_avg", ordered_json::array()},
                       {"library_build_type", "release"}};
  ordered_json benchmarks = ordered_json::array();
  std::map<std::string, std::int64_t> rounds, families;
  each_row(reports, [&](const RowView& row) { ++rounds[std::string(row.text(Column::name))]; });
  std::map<std::string, std::int64_t> next;
  each_row(reports, [&](const RowView& row) {
    if (!context.contains("date")) {
      context["date"] = row.text(Column::utc);
      context["host_name"] = row.text(Column::machine);
      context["num_cpus"] = row.integer(Column::cpu_threads).value_or(0);
      context["mhz_per_cpu"] = 0;
      context["cpu_scaling_enabled"] = false;
    }
    const std::string name(row.text(Column::name));
    const std::int64_t family = families.try_emplace(name, std::ssize(families)).first->second;
    ordered_json one{{"name", name},
                     {"family_index", family},
                     {"per_family_instance_index", 0},
                     {"run_name", name},
                     {"run_type", "iteration"},
                     {"repetitions", rounds[name]},
                     {"repetition_index", next[name]++},
                     {"threads", 1}};
    if (row.status() == Status::ok) {
      one["iterations"] = row.integer(Column::n_samples).value_or(1) *
                          row.integer(Column::batch_repetitions).value_or(1);
      one["real_time"] = one["cpu_time"] = *row.real(Column::median_ns);
      if (const auto flops = row.real(Column::flops_per_s)) one["flops_per_second"] = *flops;
      if (const auto bytes = row.real(Column::bytes_per_s)) one["bytes_per_second"] = *bytes;
    } else {
      one["error_occurred"] = true;
      one["error_message"] = fmt::format(
          "{}{}{}", breakeven::name(row.status()), row.is_known(Column::reason) ? ": " : "",
          row.is_known(Column::reason) ? row.text(Column::reason) : "");
      one["iterations"] = one["real_time"] = one["cpu_time"] = 0;
    }
    one["time_unit"] = "ns";
    benchmarks.push_back(std::move(one));
  });
  return dumped({{"context", context}, {"benchmarks", benchmarks}});
}

std::string bencher_json(std::span<const Report> reports) {
  ordered_json all = ordered_json::object();
  std::string machine;
  for (const Case& one : cases_of(reports)) {
    if (!machine.empty() && machine != one.machine)
      throw Unusable(
          fmt::format("these are reports of {} and {}, and the Bencher Metric Format has no place "
                      "for machines: export one at a time",
                      machine, one.machine));
    machine = one.machine;
    ordered_json latency{{"value", one.time.median}};
    if (one.time.low) latency["lower_value"] = *one.time.low;
    if (one.time.high) latency["upper_value"] = *one.time.high;
    all[one.name]["latency"] = latency;
    if (const double best = one.flops_per_s > 0 ? one.flops_per_s : one.bytes_per_s; best > 0)
      all[one.name]["throughput"] = {{"value", best}};
  }
  return dumped(all);
}

std::string openmetrics_text(std::span<const Report> reports) {
  struct Metric {
    std::string_view name, unit, help;
    std::function<double(const Case&)> value;  // 0: it has none
  };
  const std::vector<Metric> metrics{
      {"breakeven_case_seconds", "seconds", "Median time of a case.",
       [](const Case& one) { return one.time.median * 1e-9; }},
      {"breakeven_case_low_seconds", "seconds", "Lower end of the 95 % interval of the median.",
       [](const Case& one) { return one.time.low.value_or(0) * 1e-9; }},
      {"breakeven_case_high_seconds", "seconds", "Upper end of the 95 % interval of the median.",
       [](const Case& one) { return one.time.high.value_or(0) * 1e-9; }},
      {"breakeven_case_flops_per_second", "", "Floating-point operations per second.",
       [](const Case& one) { return one.flops_per_s; }},
      {"breakeven_case_bytes_per_second", "", "Bytes moved per second.",
       [](const Case& one) { return one.bytes_per_s; }}};
  const std::vector<Case> cases = cases_of(reports);
  std::string text;
  for (const Metric& metric : metrics) {
    text += fmt::format("# HELP {0} {1}\n# TYPE {0} gauge\n", metric.name, metric.help);
    if (!metric.unit.empty()) text += fmt::format("# UNIT {} {}\n", metric.name, metric.unit);
    for (const Case& one : cases)
      if (const double value = metric.value(one); value > 0)
        text += fmt::format("{}{{machine={},case={},backend={},name={}}} {}\n", metric.name,
                            quoted(one.machine), quoted(one.case_name), quoted(one.backend),
                            quoted(one.name), value);
  }
  return text + "# EOF\n";
}

}  // namespace breakeven
