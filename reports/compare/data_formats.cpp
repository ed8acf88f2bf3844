// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/compare/formats.hpp"
#include "reports/schema/formula.hpp"

namespace breakeven::comparison {
namespace {

using nlohmann::ordered_json;

template <class Value>
ordered_json or_null(const std::optional<Value>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json side(const std::optional<Summary>& summary, const std::optional<double>& share) {
  if (!summary) {
    return nullptr;
  }
  return {{"median_ns", summary->median},
          {"low_ns", or_null(summary->low)},
          {"high_ns", or_null(summary->high)},
          {"rounds", summary->rounds},
          {"ceiling_share", or_null(share)}};
}

ordered_json entry(const Grouped& grouped, const Comparison& comparison,
                   const CaseComparison& result) {
  const auto number = [&](double Effect::*member) {
    return result.effect ? ordered_json(result.effect.value().*member) : ordered_json(nullptr);
  };
  const auto end = [&](double PairedRatio::*of_pairs, double Effect::*of_rounds) {
    return result.paired ? ordered_json(result.paired.value().*of_pairs) : number(of_rounds);
  };
  return {{"name", printable(grouped.cases[result.case_index].name)},
          {"base", printable(grouped.groups[comparison.base].label)},
          {"other", printable(grouped.groups[result.group].label)},
          {"base_time", side(result.base, result.base_share)},
          {"other_time", side(result.other, result.other_share)},
          {"ratio", or_null(result.ratio)},
          {"ratio_low", end(&PairedRatio::low, &Effect::low)},
          {"ratio_high", end(&PairedRatio::high, &Effect::high)},
          {"paired", result.paired.has_value()},
          {"p_value", number(&Effect::p_value)},
          {"adjusted_p", or_null(result.adjusted_p)},
          {"permutation_p", or_null(result.permutation_p)},
          {"smallest_ratio", or_null(result.smallest_ratio)},
          {"verdict", name(result.verdict)},
          {"why", printable(result.why)},
          {"disturbed", result.disturbed_share > 0},
          {"disturbed_share", result.disturbed_share}};
}

std::string csv_value(const ordered_json& value) {
  if (value.is_null()) {
    return std::string(unknown);
  }
  std::string field;
  append_csv_field(field,
                   value.is_string() ? without_formula(value.get<std::string>()) : value.dump());
  return field.empty() ? std::string(unknown) : field;
}

// Nested objects become `base_time_median_ns`.
void flatten(const ordered_json& object, const std::string& prefix, std::string& names,
             std::string& values) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object()) {
      flatten(value, prefix + key + "_", names, values);
      continue;
    }
    names += (names.empty() ? "" : ",") + prefix + key;
    values += (values.empty() ? "" : ",") + csv_value(value);
  }
}

}  // namespace

std::string as_csv(const Grouped& grouped, const Comparison& comparison) {
  const ordered_json no_side = {{"median_ns", nullptr},
                                {"low_ns", nullptr},
                                {"high_ns", nullptr},
                                {"rounds", nullptr},
                                {"ceiling_share", nullptr}};
  std::string text;
  for (const auto& result : comparison.cases) {
    auto object = entry(grouped, comparison, result);
    for (const auto* name : {"base_time", "other_time"}) {
      if (object[name].is_null()) {
        object[name] = no_side;
      }
    }
    std::string names, values;
    flatten(object, "", names, values);
    text += text.empty() ? names + "\n" : "";
    text += values + "\n";
  }
  return text;
}

std::string as_json(const Grouped& grouped, const Comparison& comparison, int exit_status,
                    const Crossings& crossings) {
  ordered_json json{{"version", 1},
                    {"base", printable(grouped.groups[comparison.base].label)},
                    {"groups", ordered_json::array()},
                    {"differences", ordered_json::array()},
                    {"cases", ordered_json::array()},
                    {"geometric_means", ordered_json::array()},
                    {"not_measured", comparison.not_measured},
                    {"exit_status", exit_status}};
  for (std::size_t i = 0; i < grouped.groups.size(); ++i) {
    const auto& group = grouped.groups[i];
    auto machines = ordered_json::array();
    for (const auto& machine : group.machines) {
      machines.push_back(printable(machine));
    }
    json["groups"].push_back({{"label", printable(group.label)},
                              {"machines", machines},
                              {"judged", static_cast<bool>(comparison.is_judged[i])}});
  }
  for (const auto& difference : comparison.differences) {
    auto values = ordered_json::array();
    for (const auto& group : difference.values) {
      auto texts = ordered_json::array();
      for (const auto& value : group) {
        texts.push_back(printable(value));
      }
      values.push_back(texts);
    }
    json["differences"].push_back({{"subject", difference.subject},
                                   {"what", printable(difference.what)},
                                   {"backends", printable(difference.backends)},
                                   {"values", values}});
  }
  for (const auto& result : comparison.cases) {
    json["cases"].push_back(entry(grouped, comparison, result));
  }
  for (const auto& mean : comparison.means) {
    json["geometric_means"].push_back({{"other", printable(grouped.groups[mean.group].label)},
                                       {"ratio", mean.ratio},
                                       {"cases", mean.cases}});
  }
  auto points = ordered_json::array();
  for (const auto& line : crossings.lines) {
    ordered_json cells = ordered_json::object();
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      cells[printable(crossings.machines[i])] = {{"break_even", printable(line.cells[i].bracket)},
                                                 {"ratio", printable(line.cells[i].ratio)}};
    }
    points.push_back({{"pair", printable(line.pair)}, {"machines", std::move(cells)}});
  }
  json["break_even"] = std::move(points);
  return json.dump(1) + "\n";
}

}  // namespace breakeven::comparison
