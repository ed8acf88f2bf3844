// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/plugin_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace breakeven {
namespace {

constexpr std::string_view bold = "\x1b[1m", faint = "\x1b[2m", plain = "\x1b[0m";

std::string styled(std::string_view style, std::string_view text, bool colour) {
  return colour ? fmt::format("{}{}{}", style, text, plain) : std::string(text);
}

using Row = std::vector<std::string>;

// Columns as wide as their widest cell, two blanks between them; the first row is the heading, the
// first column the emphasis.
std::string table(const std::vector<Row>& rows, bool colour) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool last = i + 1 == row.size();
      const std::string cell = last ? row[i] : fmt::format("{:<{}}  ", row[i], widths[i]);
      line += i == 0 && &row != &rows.front() ? styled(bold, cell, colour) : cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += (&row == &rows.front() ? styled(faint, line, colour) : line) + '\n';
  }
  return text;
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

void add_rows(const Plugin& plugin, std::vector<Row>& rows) {
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
    rows.push_back({heads ? plugin.name : "", heads ? plugin.version : "", name,
                    first->kind == Kind::gpu ? "gpu" : "cpu", memory_text(first->memory_bytes),
                    maker_name, heads ? plugin.description : ""});
    first = next;
  }
}

}  // namespace

std::string plugin_table(const Registry& registry, bool colour) {
  std::vector<Row> rows = {
      {"backend", "version", "devices", "kind", "memory", "device is", "backend is"}};
  std::vector<std::string> others;
  std::string remarks;
  for (const Plugin& plugin : registry.plugins()) {
    if (!plugin.usable()) {
      others.push_back(plugin.name);
      continue;
    }
    add_rows(plugin, rows);
    if (!plugin.facts.empty()) {
      std::vector<std::string> facts;
      for (const auto& [key, value] : plugin.facts) facts.push_back(key + "=" + value);
      remarks += styled(faint, fmt::format("{}: {}", plugin.name, fmt::join(facts, ", ")), colour);
      remarks += '\n';
    }
    if (!plugin.advice.empty()) remarks += fmt::format("{}: {}\n", plugin.name, plugin.advice);
  }
  if (registry.plugins().empty())
    return "no plugin was found; build one, or say where they are with --plugin-dir DIR\n";
  std::string text = rows.size() > 1 ? table(rows, colour) : "no plugin is usable\n";
  if (!remarks.empty()) text += '\n' + remarks;
  if (!others.empty()) {
    text += fmt::format("\nnot usable here: {} ({})\n", fmt::join(others, ", "),
                        "`breakeven list --why` says why");
  }
  return text;
}

std::string option_table(const Registry& registry, bool colour) {
  std::vector<Row> rows = {{"option", "default", "variable", "sets"}};
  for (const Plugin& plugin : registry.plugins()) {
    for (const PluginOption& option : plugin.options) {
      rows.push_back({fmt::format("{}.{}", plugin.name, option.name), option.default_value,
                      option.environment_variable, option.help});
    }
  }
  return rows.size() > 1 ? table(rows, colour) : "no backend has options\n";
}

}  // namespace breakeven
