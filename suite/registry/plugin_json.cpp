// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/schema/schema.hpp"
#include "suite/model/type_names.hpp"
#include "suite/registry/refusal.hpp"
#include "suite/registry/registry.hpp"

namespace breakeven {
namespace {

using nlohmann::json;

json facts_json(const Facts& facts) {
  json object = json::object();
  for (const auto& [key, value] : facts) object[key] = value;
  return object;
}

// What a plugin says of itself is shown on terminals and stands in every row.
constexpr std::size_t longest_name = 200, longest_text = 4000;

std::string told(const json& from, std::size_t longest = longest_text) {
  return one_line(from.get<std::string>(), longest);
}

Facts facts_from(const json& object) {
  Facts facts;
  for (const auto& [key, value] : object.items())
    facts.emplace_back(one_line(key, longest_name), told(value));
  return facts;
}

}  // namespace

void to_json(json& to, const PluginDevice& device) {
  to = {{"name", device.name},
        {"maker_name", device.maker_name},
        {"kind", kind_name(device.kind)},
        {"memory_bytes", device.memory_bytes},
        {"free_bytes", device.free_bytes},
        {"hardware", device.hardware},
        {"facts", facts_json(device.facts)}};
}

void from_json(const json& from, PluginDevice& device) {
  device.name = told(from.at("name"), longest_name);
  device.maker_name = told(from.at("maker_name"), longest_name);
  const auto kind = std::find(kind_names.begin(), kind_names.end(), from.at("kind"));
  if (kind == kind_names.end()) throw Refusal("it has a device of a kind that does not exist");
  device.kind = static_cast<Kind>(kind - kind_names.begin());
  from.at("memory_bytes").get_to(device.memory_bytes);
  from.at("free_bytes").get_to(device.free_bytes);
  if (from.contains("hardware"))
    device.hardware = told(from.at("hardware"));  // builds before API 2 have none
  device.facts = facts_from(from.at("facts"));
}

void to_json(json& to, const PluginOption& option) {
  to = {{"name", option.name},
        {"help", option.help},
        {"default", option.default_value},
        {"environment_variable", option.environment_variable},
        {"value", option.value}};
}

void from_json(const json& from, PluginOption& option) {
  option.name = told(from.at("name"), longest_name);
  option.help = told(from.at("help"));
  from.at("default").get_to(option.default_value);
  from.at("environment_variable").get_to(option.environment_variable);
  from.at("value").get_to(option.value);
}

void to_json(json& to, const Plugin& plugin) {
  to = {{"name", plugin.name},
        {"usable", plugin.usable()},
        {"path", plugin.path.string()},
        {"resolved", plugin.resolved.string()},
        {"source", plugin.source},
        {"version", plugin.version},
        {"description", plugin.description},
        {"compiler", plugin.compiler},
        {"flags", plugin.flags},
        {"options", plugin.options},
        {"environment", plugin.environment},
        {"devices", plugin.devices},
        {"facts", facts_json(plugin.facts)},
        {"advice", plugin.advice},
        {"inspection_seconds", plugin.inspection_seconds},
        {"reason", plugin.reason ? json(*plugin.reason) : json()},
        {"fix", plugin.fix}};
}

void from_json(const json& from, Plugin& plugin) {
  plugin.name = told(from.at("name"), longest_name);
  plugin.path = from.at("path").get<std::string>();
  plugin.resolved = from.at("resolved").get<std::string>();
  from.at("source").get_to(plugin.source);
  plugin.version = told(from.at("version"), longest_name);
  plugin.description = told(from.at("description"));
  plugin.compiler = told(from.at("compiler"));
  plugin.flags = printable(from.at("flags").get<std::string>());
  from.at("options").get_to(plugin.options);
  from.at("environment").get_to(plugin.environment);
  from.at("devices").get_to(plugin.devices);
  plugin.facts = facts_from(from.at("facts"));
  plugin.advice = told(from.at("advice"));
  from.at("inspection_seconds").get_to(plugin.inspection_seconds);
  plugin.reason.reset();
  if (!from.at("reason").is_null()) plugin.reason = told(from.at("reason"));
  plugin.fix = told(from.at("fix"));
}

void to_json(json& to, const Registry& registry) {
  to = {
      {"version", 1}, {"plugins", json::array()}, {"not_built", facts_json(registry.not_built())}};
  for (const Plugin& plugin : registry.plugins()) to["plugins"].push_back(plugin);
}

}  // namespace breakeven
