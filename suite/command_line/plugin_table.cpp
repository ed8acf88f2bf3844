// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/plugin_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "reports/text/lines.hpp"
#include "reports/text/table.hpp"
#include "suite/model/type_names.hpp"

namespace breakeven {
namespace {

std::string dimmed(const std::string& text, bool colour) {
  return coloured(text, Colour::dim, colour);
}

std::string memory_text(std::size_t bytes) {
  return bytes == 0 ? "" : fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30));
}

// The name without the number it may end with, and that number.
std::pair<std::string_view, std::string_view> numbered(std::string_view name) {
  const auto digits = name.find_last_not_of("0123456789") + 1;
  return {name.substr(0, digits), name.substr(digits)};
}

bool look_alike(const PluginDevice& a, const PluginDevice& b) {
  return numbered(a.maker_name).first == numbered(b.maker_name).first && a.kind == b.kind &&
         a.memory_bytes == b.memory_bytes;
}

void add_rows(const Plugin& plugin, Table& table) {
  const auto& devices = plugin.devices;
  for (auto first = devices.begin(); first != devices.end();) {
    const auto next = std::find_if_not(first, devices.end(), [&](const PluginDevice& device) {
      return look_alike(*first, device);
    });
    const PluginDevice& last = *std::prev(next);
    std::string name = first->name, maker_name = first->maker_name;
    if (first->name != last.name) name += fmt::format("-{}", numbered(last.name).second);
    if (first->maker_name != last.maker_name)
      maker_name += fmt::format("-{}", numbered(last.maker_name).second);
    const bool heads = first == devices.begin();
    table.add({heads ? plugin.name : "", heads ? plugin.version : "", name,
               std::string(kind_name(first->kind)), memory_text(first->memory_bytes), maker_name,
               heads ? plugin.description : ""});
    first = next;
  }
}

}  // namespace

std::string plugin_table(const Registry& registry, bool colour) {
  Table table({{"backend"},
               {"version", Align::left, true},
               {"devices"},
               {"kind"},
               {"memory", Align::right},
               {"device is"},
               {"backend is", Align::left, true}});
  const Lines lines(stdout);
  std::vector<std::string> others;
  std::string remarks;
  for (const Plugin& plugin : registry.plugins()) {
    if (!plugin.usable()) {
      others.push_back(plugin.name);
      continue;
    }
    add_rows(plugin, table);
    if (!plugin.facts.empty()) {
      std::vector<std::string> facts;
      for (const auto& [key, value] : plugin.facts) facts.push_back(key + "=" + value);
      remarks +=
          dimmed(lines.wrapped(fmt::format("{}: {}", plugin.name, fmt::join(facts, ", ")), 0),
                 colour) +
          '\n';
    }
    if (!plugin.advice.empty())
      remarks += lines.wrapped(fmt::format("{}: {}", plugin.name, plugin.advice), 0) + '\n';
  }
  for (const auto& [name, why] : registry.not_built()) others.push_back(name);
  if (registry.plugins().empty())
    return "no plugin was found; build one, or say where they are with --plugin-dir DIR\n";
  std::string text =
      table.empty() ? "no plugin is usable\n" : table.terminal(colour, terminal_columns(stdout));
  if (!remarks.empty()) text += '\n' + remarks;
  if (!others.empty()) {
    text += '\n' +
            lines.wrapped(fmt::format("not usable here: {} (`breakeven list --why` says why)",
                                      fmt::join(others, ", ")),
                          0) +
            '\n';
  }
  return text;
}

std::string option_table(const Registry& registry, bool colour) {
  Table table({{"option"}, {"default"}, {"variable"}, {"sets"}});
  for (const Plugin& plugin : registry.plugins()) {
    for (const PluginOption& option : plugin.options) {
      table.add({fmt::format("{}.{}", plugin.name, option.name), option.default_value,
                 option.environment_variable, option.help});
    }
  }
  return table.empty() ? "no backend has options\n"
                       : table.terminal(colour, terminal_columns(stdout));
}

}  // namespace breakeven
