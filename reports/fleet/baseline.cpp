// SPDX-License-Identifier: Apache-2.0
#include "reports/fleet/baseline.hpp"
#include "reports/text/usage.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unordered_map>

namespace breakeven::fleet {
namespace {

using nlohmann::ordered_json;

constexpr int version = 1;

ordered_json json_of(const Fleet& fleet, const Normal& normal) {
  ordered_json json{{"hardware", normal.hardware},
                    {"devices", normal.devices},
                    {"nodes", normal.nodes},
                    {"spread", normal.spread},
                    {"spread_of_cases", normal.spread_of_cases},
                    {"cases", ordered_json::object()},
                    {"kinds", ordered_json::object()},
                    {"signs", ordered_json::object()},
                    {"habits", ordered_json::object()}};
  for (const auto& [index, entry] : normal.cases) {
    json["cases"][fleet.name(index)] = {{"nodes", entry.nodes},       {"location", entry.location},
                                        {"spread", entry.spread},     {"freedom", entry.freedom},
                                        {"variance", entry.variance}, {"ceiling", entry.ceiling}};
  }
  for (const auto& [kind, spread] : normal.kinds) {
    json["kinds"][fleet.kinds[kind]] = spread;
  }
  for (const auto& [name, sign] : normal.signs) {
    json["signs"][name] = {{"median", sign.median}, {"spread", sign.spread}};
  }
  for (const auto& [name, habit] : normal.habits) {
    json["habits"][name] = {
        {"subject", habit.subject}, {"value", habit.value}, {"share", habit.share}};
  }
  return json;
}

Normal normal_of(const Fleet& fleet, const ordered_json& json) {
  Normal normal;
  normal.is_of_others = true;
  json.at("hardware").get_to(normal.hardware);
  json.at("devices").get_to(normal.devices);
  json.at("nodes").get_to(normal.nodes);
  json.at("spread").get_to(normal.spread);
  json.at("spread_of_cases").get_to(normal.spread_of_cases);
  std::unordered_map<std::string, std::size_t> cases;
  for (std::size_t i = 0; i < fleet.cases.size(); ++i) {
    cases.emplace(fleet.name(i), i);
  }
  for (const auto& [name, entry] : json.at("cases").items()) {
    if (const auto at = cases.find(name); at != cases.end()) {
      normal.cases[at->second] = {entry.at("nodes"),   entry.at("location"), entry.at("spread"),
                                  entry.at("freedom"), entry.at("variance"), entry.at("ceiling")};
    }
  }
  for (std::size_t kind = 0; kind < fleet.kinds.size(); ++kind) {
    if (const auto at = json.at("kinds").find(fleet.kinds[kind]); at != json.at("kinds").end()) {
      normal.kinds.emplace(kind, *at);
    }
  }
  for (const auto& [name, sign] : json.at("signs").items()) {
    normal.signs[name] = {sign.at("median"), sign.at("spread")};
  }
  for (const auto& [name, habit] : json.at("habits").items()) {
    normal.habits[name] = {habit.at("subject"), habit.at("value"), habit.at("share")};
  }
  return normal;
}

bool is_sane(const Normal& normal) {
  return normal.nodes > 1 && normal.spread > 0 &&
         std::all_of(normal.cases.begin(), normal.cases.end(), [](const auto& entry) {
           return entry.second.nodes > 1 && entry.second.spread > 0 && entry.second.freedom > 0;
         });
}

}  // namespace

std::string baseline_text(const Fleet& fleet, const Judgement& judgement) {
  ordered_json json{{"breakeven_fleet_baseline", version}, {"groups", ordered_json::array()}};
  for (const auto& group : judgement.groups) {
    if (group.is_judged && !group.by_baseline) {
      json["groups"].push_back(json_of(fleet, *group.normal));
    }
  }
  return json.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::vector<Normal> read_baseline(const std::string& path, const Fleet& fleet) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw Unusable("--baseline " + path + ": cannot be read");
  }
  std::vector<Normal> normals;
  try {
    const auto json = ordered_json::parse(file);
    if (json.at("breakeven_fleet_baseline") != version) {
      throw Unusable("--baseline " + path + ": of another version; save it again");
    }
    for (const auto& group : json.at("groups")) {
      normals.push_back(normal_of(fleet, group));
      if (!is_sane(normals.back())) {
        throw Unusable("--baseline " + path + ": has spreads that cannot be; save it again");
      }
    }
  } catch (const nlohmann::json::exception&) {
    throw Unusable("--baseline " + path +
                   ": no baseline; `breakeven fleet FOLDER --save-baseline FILE` writes "
                   "them");
  }
  return normals;
}

}  // namespace breakeven::fleet
