// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/history/formats.hpp"

namespace breakeven::history {
namespace {

using nlohmann::ordered_json;

ordered_json entry(const History& history, const Change& change) {
  const auto& series = history.series[change.series];
  const auto& first = series.points[change.first];
  return {{"machine", series.machine},     {"name", series.name},
          {"first", first.label},          {"first_run", first.run_id},
          {"first_utc", first.utc},        {"points_since", change.points},
          {"before_ns", change.before_ns}, {"after_ns", change.after_ns},
          {"ratio", change.effect.ratio},  {"low", change.effect.low},
          {"high", change.effect.high},    {"p_value", change.p_value},
          {"slower", change.is_slower()}};
}

}  // namespace

std::string as_csv(const History& history, const Findings& findings) {
  std::string text = "machine,name,point,utc,run_id,status,median_ns,rounds,change,p_value\n";
  for (std::size_t i = 0; i < history.series.size(); ++i) {
    const auto& series = history.series[i];
    for (std::size_t place = 0; place < series.points.size(); ++place) {
      const auto& point = series.points[place];
      for (const auto* field :
           {&series.machine, &series.name, &point.label, &point.utc, &point.run_id}) {
        append_csv_field(text, *field);
        text += ',';
      }
      text += point.has_time() ? fmt::format("ok,{},{},", point.median_ns, point.rounds)
                               : fmt::format("{},NA,0,", name(point.worst));
      const Change* here = nullptr;
      for (const auto& step : findings.steps) {
        for (const auto& change : step.changes) {
          here = change.series == i && change.first == place ? &change : here;
        }
      }
      text += here == nullptr ? "NA,NA\n"
                              : fmt::format("{:.5f},{:.3g}\n", here->effect.ratio, here->p_value);
    }
  }
  return text;
}

std::string as_json(const History& history, const Findings& findings) {
  ordered_json steps = ordered_json::array(), losses = steps;
  for (const auto& step : findings.steps) {
    ordered_json changes = ordered_json::array();
    for (const auto& change : step.changes) {
      changes.push_back(entry(history, change));
    }
    steps.push_back({{"changes", changes},
                     {"differences", step.differences},
                     {"differences_nearby", step.differences_nearby}});
  }
  for (const auto& loss : findings.losses) {
    const auto& series = history.series[loss.series];
    losses.push_back({{"machine", series.machine},
                      {"name", series.name},
                      {"since", series.points[loss.first].utc},
                      {"status", name(series.points.back().worst)},
                      {"reason", series.points.back().reason}});
  }
  const ordered_json json{{"version", 1},
                          {"machines", history.machines},
                          {"runs", history.runs},
                          {"series", history.series.size()},
                          {"judged", findings.judged},
                          {"steps", steps},
                          {"losses", losses},
                          {"exit_status", findings.is_worse() ? 1 : 0}};
  return json.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace breakeven::history
