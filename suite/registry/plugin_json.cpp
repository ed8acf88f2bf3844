// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "suite/registry/registry.hpp"

namespace breakeven {
namespace {

using nlohmann::json;

json facts_json(const Facts& facts) {
  json object = json::object();
  for (const auto& [key, value] : facts) object[key] = value;
  return object;
}

Facts facts_from(const json& object) {
  Facts facts;
  for (const auto& [key, value] : object.items()) facts.emplace_back(key, value);
  return facts;
}

}  // namespace

void to_json(json& to, const PluginDevice& device) {
  to = {{"name", device.name},
        {"maker_name", device.maker_name},
        {"kind", device.kind == Kind::gpu ? "gpu" : "cpu"},
        {"memory_bytes", device.memory_bytes},
        {"free_bytes", device.free_bytes},
        {"facts", facts_json(device.facts)}};
}

void from_json(const json& from, PluginDevice& device) {
  from.at("name").get_to(device.name);
  from.at("maker_name").get_to(device.maker_name);
  device.kind = from.at("kind") == "gpu" ? Kind::gpu : Kind::cpu;
  from.at("memory_bytes").get_to(device.memory_bytes);
  from.at("free_bytes").get_to(device.free_bytes);
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
  from.at("name").get_to(option.name);
  from.at("help").get_to(option.help);
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
  from.at("name").get_to(plugin.name);
  plugin.path = from.at("path").get<std::string>();
  plugin.resolved = from.at("resolved").get<std::string>();
  from.at("source").get_to(plugin.source);
  from.at("version").get_to(plugin.version);
  from.at("description").get_to(plugin.description);
  from.at("compiler").get_to(plugin.compiler);
  from.at("flags").get_to(plugin.flags);
  from.at("options").get_to(plugin.options);
  from.at("environment").get_to(plugin.environment);
  from.at("devices").get_to(plugin.devices);
  plugin.facts = facts_from(from.at("facts"));
  from.at("advice").get_to(plugin.advice);
  from.at("inspection_seconds").get_to(plugin.inspection_seconds);
  plugin.reason.reset();
  if (!from.at("reason").is_null()) plugin.reason = from.at("reason").get<std::string>();
  from.at("fix").get_to(plugin.fix);
}

void to_json(json& to, const Registry& registry) {
  to = {{"plugins", json::array()}};
  for (const Plugin& plugin : registry.plugins()) to["plugins"].push_back(plugin);
}

}  // namespace breakeven
