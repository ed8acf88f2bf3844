// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/fleet/formats.hpp"
#include "reports/fleet/node_names.hpp"

namespace breakeven::fleet {
namespace {

using nlohmann::ordered_json;

const Verdict* verdict_of(const Group& group, std::size_t node) {
  for (const auto& verdict : group.verdicts) {
    if (verdict.node == node) {
      return &verdict;
    }
  }
  return nullptr;
}

std::string_view word_of(const Group& group, const Verdict* verdict) {
  return verdict != nullptr && !verdict->faults.empty()    ? "wrong"
         : verdict != nullptr && !verdict->slow.empty()    ? "slow"
         : verdict != nullptr && !verdict->suspect.empty() ? "suspect"
         : verdict != nullptr                              ? "incomplete"
         : group.is_judged                                 ? "sound"
                                                           : "described";
}

ordered_json slowness(const Fleet& fleet, const Slowness& slow) {
  const auto* extent = slow.extent == Extent::everywhere ? "everywhere"
                       : slow.extent == Extent::kind     ? "kind"
                                                         : "case";
  return {{"extent", extent},
          {"name", slow.extent == Extent::everywhere ? ""
                   : slow.extent == Extent::kind     ? fleet.kinds[slow.index]
                                                     : fleet.name(slow.index)},
          {"ratio", slow.ratio},
          {"low", slow.low},
          {"high", slow.high},
          {"rounds", slow.rounds}};
}

ordered_json entry(const Fleet& fleet, const Group& group, const Verdict& verdict) {
  ordered_json slow = ordered_json::array(), suspect = slow, faults = slow;
  for (const auto& item : verdict.slow) {
    slow.push_back(slowness(fleet, item));
  }
  for (const auto& item : verdict.suspect) {
    suspect.push_back(slowness(fleet, item));
  }
  for (const auto& fault : verdict.faults) {
    faults.push_back({{"name", fleet.name(fault.case_index)},
                      {"status", name(fault.status)},
                      {"reason", fleet.collection.texts.text(fault.reason)}});
  }
  return {{"node", fleet.collection.nodes[verdict.node].name},
          {"verdict", word_of(group, &verdict)},
          {"take_out", verdict.is_out()},
          {"slow", slow},
          {"suspect", suspect},
          {"faults", faults},
          {"missing_cases", verdict.missing},
          {"reasons", verdict.reasons}};
}

}  // namespace

std::string as_csv(const Fleet& fleet, const Judgement& judgement) {
  std::string text =
      "node,group,verdict,take_out,ratio,worst_ratio,worst_low,worst_high,worst_where,"
      "faults,missing_cases,reasons\n";
  for (const auto& group : judgement.groups) {
    for (std::size_t i = 0; i < group.nodes.size(); ++i) {
      const auto* verdict = verdict_of(group, group.nodes[i]);
      const Slowness* worst = nullptr;
      std::string reasons;
      if (verdict != nullptr) {
        for (const auto* list : {&verdict->slow, &verdict->suspect}) {
          for (const auto& slow : *list) {
            worst = worst == nullptr || slow.ratio > worst->ratio ? &slow : worst;
          }
        }
        for (const auto& reason : verdict->reasons) {
          reasons += (reasons.empty() ? "" : "; ") + reason;
        }
      }
      append_csv_field(text, fleet.collection.nodes[group.nodes[i]].name);
      text += fmt::format(",{},{},{},{:.5f},", group.label, word_of(group, verdict),
                          verdict != nullptr && verdict->is_out() ? 1 : 0, group.ratios[i]);
      if (worst == nullptr) {
        text += "NA,NA,NA,NA";
      } else {
        text += fmt::format("{:.5f},{:.5f},{:.5f},", worst->ratio, worst->low, worst->high);
        append_csv_field(text, worst->extent == Extent::everywhere ? "everywhere"
                               : worst->extent == Extent::kind     ? fleet.kinds[worst->index]
                                                                   : fleet.name(worst->index));
      }
      text += fmt::format(",{},{},", verdict == nullptr ? 0 : verdict->faults.size(),
                          verdict == nullptr ? 0 : verdict->missing);
      append_csv_field(text, reasons.empty() ? unknown : std::string_view(reasons));
      text += '\n';
    }
  }
  return text;
}

std::string as_json(const Fleet& fleet, const Judgement& judgement) {
  ordered_json json{{"version", 1},
                    {"nodes", fleet.collection.nodes.size()},
                    {"cases", judgement.cases},
                    {"files", fleet.collection.files},
                    {"skipped_files", fleet.collection.skipped},
                    {"groups", ordered_json::array()},
                    {"splits", ordered_json::array()},
                    {"take_out", judgement.nodes_out(fleet)},
                    {"exclude", exclude_line(fleet, judgement)},
                    {"notes", fleet.collection.notes},
                    {"exit_status", exit_status(fleet, judgement)}};
  for (const auto& group : judgement.groups) {
    ordered_json nodes = ordered_json::array(), verdicts = nodes;
    for (std::size_t i = 0; i < group.nodes.size(); ++i) {
      nodes.push_back({{"node", fleet.collection.nodes[group.nodes[i]].name},
                       {"verdict", word_of(group, verdict_of(group, group.nodes[i]))},
                       {"ratio", group.ratios[i]}});
    }
    for (const auto& verdict : group.verdicts) {
      verdicts.push_back(entry(fleet, group, verdict));
    }
    ordered_json seen;
    if (group.sensitivity) {
      seen = {{"everywhere", group.sensitivity->everywhere},
              {"one_case", group.sensitivity->one_case},
              {"noisy_case", group.sensitivity->noisy_case}};
    }
    json["groups"].push_back({{"label", group.label},
                              {"hardware", group.hardware},
                              {"judged", group.is_judged},
                              {"by_baseline", group.by_baseline},
                              {"cases", group.cases},
                              {"rounds", group.rounds},
                              {"smallest_ratio_seen", seen},
                              {"nodes", nodes},
                              {"verdicts", verdicts},
                              {"remarks", group.remarks}});
  }
  for (const auto& split : judgement.splits) {
    json["splits"].push_back({{"faster", judgement.groups[split.faster].label},
                              {"slower", judgement.groups[split.slower].label},
                              {"ratio", split.ratio},
                              {"differences", split.differences}});
  }
  return json.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace breakeven::fleet
