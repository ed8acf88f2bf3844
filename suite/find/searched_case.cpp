// SPDX-License-Identifier: Apache-2.0
#include "suite/find/searched_case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <set>
#include <vector>

#include "suite/cases/all_cases.hpp"
#include "suite/run/text.hpp"

namespace breakeven {
namespace {

struct SizeField {
  std::string_view name;
  std::size_t Key::*place;
};

// In the order in which the first one that varies is taken.
constexpr std::array size_fields{SizeField{"n", &Key::n},         SizeField{"bytes", &Key::bytes},
                                 SizeField{"batch", &Key::batch}, SizeField{"count", &Key::count},
                                 SizeField{"m", &Key::m},         SizeField{"k", &Key::k}};

const SizeField& field_named(std::string_view name) {
  return *std::find_if(size_fields.begin(), size_fields.end(),
                       [&](const SizeField& field) { return field.name == name; });
}

const Case& searchable_case(const std::string& name) {
  std::vector<std::string> known;
  for (const Case* definition : all_cases()) {
    if (definition->needs_fresh_worker()) {
      if (definition->name() == name) {
        throw UsageError(
            fmt::format("case '{}' cannot be searched: its samples need a process each", name));
      }
      continue;
    }
    if (definition->modes_are_devices()) {
      if (definition->name() == name)
        throw UsageError(fmt::format(
            "case '{}' cannot be searched: its modes are devices; search matmul", name));
      continue;
    }
    known.emplace_back(definition->name());
    if (known.back() == name) {
      return *definition;
    }
  }
  throw unknown_word("case", name, known);
}

struct Place {
  const Plugin* plugin = nullptr;
  std::size_t device = 0;
};

Place place_named(std::string_view option, const std::string& text, const Registry& registry) {
  if (text.empty()) {
    throw UsageError(fmt::format("{} needs a backend; `breakeven list` shows them", option));
  }
  const std::size_t colon = text.find(':');
  const std::string backend = text.substr(0, colon);
  const Plugin* const plugin = &registry.require(backend);
  if (!plugin->usable()) {
    throw Unusable(why_not_loaded(*plugin));
  }
  if (colon == std::string::npos) {
    return {plugin, 0};
  }
  std::vector<std::string> devices;
  for (const PluginDevice& device : plugin->devices) {
    if (device.name == text) {
      return {plugin, devices.size()};
    }
    devices.push_back(device.name);
  }
  throw unknown_word("device", text, devices);
}

// The case's sweep on one side, as far as it was asked for.
std::vector<Key> sweep_of(const Case& definition, const Place& place, const SideOptions& side,
                          const SearchedCaseOptions& options) {
  std::vector<std::string> modes(definition.modes().begin(), definition.modes().end());
  Selection selection;
  selection.preset = Preset::full;
  selection.types = {options.type};
  selection.devices = std::max<std::size_t>(1, place.plugin->devices.size());
  if (!side.mode.empty()) {
    require_one_of("mode", side.mode, modes);
    selection.modes = {side.mode};
  }
  if (options.fixed) {
    selection.sizes = {*options.fixed};
  }
  std::vector<Key> keys = definition.keys(selection);
  const std::string mode = !side.mode.empty() ? side.mode : keys.empty() ? "" : keys.front().mode;
  const std::string cache = keys.empty() ? "" : keys.front().cache;
  std::erase_if(keys, [&](const Key& key) {
    return key.mode != mode || key.cache != cache ||
           (!side.memory.empty() && key.memory != side.memory) ||
           (!options.direction.empty() && key.direction != options.direction);
  });
  if (keys.empty()) {
    throw UsageError(fmt::format(
        "{} has nothing in this type, mode, memory and direction; `breakeven run --case "
        "{} --preset full --dry-run` shows what it has",
        definition.name(), definition.name()));
  }
  // One family: square products where there are any, and what is left but sizes as in the first.
  const auto is_square = [](const Key& key) { return key.m == key.n && key.k == key.n; };
  if (std::any_of(keys.begin(), keys.end(), is_square)) {
    std::erase_if(keys, [&](const Key& key) { return !is_square(key); });
  }
  const Key first = keys.front();
  std::erase_if(keys, [&](const Key& key) {
    return key.memory != first.memory || key.direction != first.direction ||
           key.type != first.type || key.math != first.math || key.devices != first.devices ||
           key.feeders != first.feeders;
  });
  for (Key& key : keys) {
    key.case_name = definition.name();
    key.backend = place.plugin->name;
    key.device = place.device;
  }
  return keys;
}

std::set<std::size_t> values_of(const std::vector<Key>& keys, const SizeField& field) {
  std::set<std::size_t> values;
  for (const Key& key : keys) {
    if (key.*field.place > 0) {
      values.insert(key.*field.place);
    }
  }
  return values;
}

std::string choose_axis(const Case& definition, const std::vector<Key>& keys,
                        const std::string& wanted) {
  std::vector<std::string> known;
  for (const SizeField& field : size_fields) {
    const std::set<std::size_t> values = values_of(keys, field);
    if (wanted.empty() && values.size() > 1) {
      return std::string(field.name);
    }
    if (!values.empty()) {
      known.emplace_back(field.name);
    }
  }
  if (known.empty()) {
    throw UsageError(fmt::format("{} has no size to search over", definition.name()));
  }
  if (wanted.empty()) {
    throw UsageError(fmt::format("the sweep of {} varies no size; name one with --axis: {}",
                                 definition.name(), fmt::join(known, ", ")));
  }
  require_one_of("axis", wanted, known);
  return wanted;
}

Axis choose_sizes(const std::set<std::size_t>& sweep, const std::string& axis,
                  const SearchedCaseOptions& options) {
  // Bytes come in whole elements.
  const std::size_t step = axis == "bytes" ? bytes_of(options.type.type) : 1;
  Axis sizes{*sweep.begin(), *sweep.rbegin(), step};
  if (options.range) {
    sizes.low = (options.range->first + step - 1) / step * step;
    sizes.high = options.range->second / step * step;
  }
  if (sizes.low < 1 || sizes.low >= sizes.high) {
    throw UsageError(fmt::format("--range {}:{} holds no two sizes", sizes.low, sizes.high));
  }
  return sizes;
}

}  // namespace

Key SearchedCase::key_at(const Side& side, std::size_t size) const {
  Key key = side.key;
  key.*field_named(axis).place = size;
  if (square) {
    key.m = key.k = size;
  }
  return key;
}

std::string SearchedCase::name(const Side& side) const {
  std::vector<std::string> differ;
  if (device_name(from.key) != device_name(to.key)) {
    differ.push_back(device_name(side.key));
  }
  if (from.key.mode != to.key.mode) {
    differ.push_back(side.key.mode);
  }
  if (from.key.memory != to.key.memory && !from.key.memory.empty() && !to.key.memory.empty()) {
    differ.push_back(side.key.memory);
  }
  return differ.empty() ? device_name(side.key) : fmt::format("{}", fmt::join(differ, " "));
}

std::string SearchedCase::title() const {
  std::string what =
      fmt::format("{} {}", definition->name(), type_name(from.key.type, from.key.math));
  if (from.key.mode == to.key.mode) {
    what += fmt::format(" {}", from.key.mode);
  }
  return fmt::format("{}, {} against {}, {} from {} to {}", what, name(from), name(to), axis,
                     sizes.low, sizes.high);
}

std::string SearchedCase::type() const {
  return std::string(stored_name(from.key.type));
}

SearchedCase make_searched_case(const SearchedCaseOptions& options, const Registry& registry) {
  SearchedCase searched;
  searched.definition = &searchable_case(options.case_name);
  const Place from = place_named("--from", options.from.device, registry);
  const Place to = place_named(
      "--to", options.to.device.empty() ? options.from.device : options.to.device, registry);
  const std::vector<Key> from_sweep = sweep_of(*searched.definition, from, options.from, options);
  const std::vector<Key> to_sweep = sweep_of(*searched.definition, to, options.to, options);
  searched.from = {from.plugin, from_sweep.front()};
  searched.to = {to.plugin, to_sweep.front()};
  searched.axis = choose_axis(*searched.definition, from_sweep, options.axis);
  searched.square = searched.axis == "n" &&
                    std::all_of(from_sweep.begin(), from_sweep.end(),
                                [](const Key& key) { return key.m == key.n && key.k == key.n; });
  searched.sizes =
      choose_sizes(values_of(from_sweep, field_named(searched.axis)), searched.axis, options);
  if (searched.key_at(searched.from, searched.sizes.low) ==
      searched.key_at(searched.to, searched.sizes.low)) {
    throw UsageError("both sides are the same; name two backends, devices, modes or memories");
  }
  if (exclude_each_other(*from.plugin, *to.plugin))
    throw UsageError(fmt::format(
        "{} and {} compute on one device that is set to one process at a time, so they cannot be "
        "measured beside each other: set it to its default (nvidia-smi -c DEFAULT), or `breakeven "
        "run` them, which lets them take turns",
        searched.name(searched.from), searched.name(searched.to)));
  return searched;
}

}  // namespace breakeven
