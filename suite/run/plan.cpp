// SPDX-License-Identifier: Apache-2.0
#include "suite/run/plan.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/text/pattern.hpp"
#include "suite/cases/all_cases.hpp"
#include "suite/model/type_names.hpp"
#include "suite/run/text.hpp"

namespace breakeven {

namespace {

struct Target {
  const Plugin* plugin;
  std::size_t device;
  std::string requested;
};

// The backends asked for by name must be usable; without names, those that are not are left out.
std::vector<const Plugin*> choose_backends(const RunOptions& options, const Registry& registry,
                                           std::vector<std::string>& notes) {
  std::vector<const Plugin*> chosen;
  if (options.backends.empty()) {
    // A backend that is sound but finds no device here has rows that say so; a file that is no
    // plugin has a note.
    for (const Plugin& plugin : registry.plugins()) {
      if (plugin.usable() || !plugin.version.empty()) chosen.push_back(&plugin);
      if (!plugin.usable()) notes.push_back(why_not_loaded(plugin));
    }
    if (std::none_of(chosen.begin(), chosen.end(), [](const Plugin* p) { return p->usable(); }))
      throw Unusable("no backend can be used; `breakeven list --why` says why");
    return chosen;
  }
  for (const std::string& name : options.backends) {
    const Plugin& plugin = registry.require(name);
    if (!plugin.usable()) throw Unusable(why_not_loaded(plugin));
    chosen.push_back(&plugin);
  }
  return chosen;
}

std::optional<std::size_t> whole_number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<Target> devices_of_kind(std::span<const Plugin* const> backends, Kind kind,
                                    const std::string& requested) {
  std::vector<Target> found;
  for (const Plugin* plugin : backends)
    for (std::size_t i = 0; i < plugin->devices.size(); ++i)
      if (plugin->devices[i].kind == kind) found.push_back({plugin, i, requested});
  return found;
}

// `try-gpu`, `try-gpu:1`: that GPU; `all-gpus`: all there are; where there is none, the first CPU,
// and where there is none either, nothing. None: not such a request.
std::optional<std::vector<Target>> gpu_if_there_is_one(std::span<const Plugin* const> backends,
                                                       const std::string& requested) {
  static constexpr std::string_view prefix = "try-gpu:";
  std::optional<std::size_t> index = 0;
  if (requested.starts_with(prefix))
    index = whole_number(std::string_view(requested).substr(prefix.size()));
  else if (requested != "try-gpu" && requested != "all-gpus")
    return std::nullopt;
  if (!index) return std::nullopt;
  const std::vector<Target> gpus = devices_of_kind(backends, Kind::gpu, requested);
  if (requested == "all-gpus" && !gpus.empty()) return gpus;
  if (requested != "all-gpus" && *index < gpus.size()) return std::vector{gpus[*index]};
  std::vector<Target> cpus = devices_of_kind(backends, Kind::cpu, requested);
  if (cpus.size() > 1) cpus.erase(cpus.begin() + 1, cpus.end());
  return cpus;
}

std::vector<Target> choose_devices(const RunOptions& options,
                                   std::span<const Plugin* const> backends,
                                   std::vector<std::string>& notes) {
  std::vector<Target> targets;
  const auto add = [&](const Plugin& plugin, std::size_t device, const std::string& requested) {
    for (const Target& target : targets)
      if (target.plugin == &plugin && target.device == device) return;
    targets.push_back({&plugin, device, requested});
  };
  if (options.devices.empty()) {
    for (const Plugin* plugin : backends) add(*plugin, 0, "");
    return targets;
  }
  const auto no_device = [&](const std::string& wanted) {
    std::vector<std::string> known;
    for (const Plugin* plugin : backends)
      for (const PluginDevice& device : plugin->devices) known.push_back(device.name);
    known.insert(known.end(), {"all", "try-gpu", "try-gpu:1", "all-gpus"});
    return unknown_word("device", wanted, known);
  };
  for (const std::string& wanted : options.devices) {
    if (const auto chosen = gpu_if_there_is_one(backends, wanted)) {
      if (chosen->empty()) throw UsageError(fmt::format("--device {}: there is no device", wanted));
      for (const Target& target : *chosen) {
        const PluginDevice& device = target.plugin->devices[target.device];
        notes.push_back(fmt::format("--device {} uses {}{}", wanted, device.name,
                                    device.kind == Kind::gpu ? "" : " (no such GPU found)"));
        add(*target.plugin, target.device, wanted);
      }
      continue;
    }
    bool found = false;
    const auto number = whole_number(wanted);
    for (const Plugin* plugin : backends)
      for (std::size_t i = 0; i < plugin->devices.size(); ++i)
        if (wanted == "all" || wanted == plugin->devices[i].name || (number && *number == i)) {
          add(*plugin, i, wanted);
          found = true;
        }
    if (!found) throw no_device(wanted);
  }
  return targets;
}

std::vector<const Case*> choose_cases(const RunOptions& options) {
  std::vector<std::string> known;
  for (const Case* definition : all_cases()) known.emplace_back(definition->name());
  for (const std::string& name : options.cases) require_one_of("case", name, known);
  std::vector<const Case*> chosen;
  for (const Case* definition : all_cases())
    if (options.cases.empty() || std::find(options.cases.begin(), options.cases.end(),
                                           definition->name()) != options.cases.end())
      chosen.push_back(definition);

  std::vector<std::string> modes;
  for (const Case* definition : chosen)
    for (const std::string_view mode : definition->modes())
      if (std::find(modes.begin(), modes.end(), mode) == modes.end()) modes.emplace_back(mode);
  for (const std::string& mode : options.selection.modes) require_one_of("mode", mode, modes);
  return chosen;
}

std::vector<std::string> chosen_modes(const Case& definition, const Selection& selection) {
  std::vector<std::string> chosen;
  for (const std::string_view mode : definition.modes())
    if (selection.modes.empty() ||
        std::find(selection.modes.begin(), selection.modes.end(), mode) != selection.modes.end())
      chosen.emplace_back(mode);
  return chosen;
}

// Elements that a step of the case reaches, products as their multiplications.
double cost_of(const Key& key) {
  double cost = 1;
  for (const std::size_t size : {key.m, key.n, key.k, key.batch})
    cost *= static_cast<double>(std::max<std::size_t>(1, size));
  return cost + static_cast<double>(key.bytes);
}

// First the cheapest size of every question, in f32 and all modes, then what is cheaper first: a
// run that comes to its end early has begun to answer each.
void put_first_what_tells(std::vector<PlannedCase>& cases) {
  const auto question_of = [](const PlannedCase& planned) {
    return planned.definition->course_question(planned.key);
  };
  const auto is_plain = [](const Key& key) {
    return key.type == Type::f32 && key.math == Math::native;
  };
  std::map<std::string_view, double> cheapest;
  for (const PlannedCase& one : cases)
    if (is_plain(one.key)) {
      const auto known = cheapest.try_emplace(question_of(one), cost_of(one.key)).first;
      known->second = std::min(known->second, cost_of(one.key));
    }
  const auto rank = [&](const PlannedCase& one) {
    const std::string_view question = question_of(one);
    const double cost = cost_of(one.key);
    // What grows is told by all sizes; those of a product that are asked for are small.
    const bool is_sweep = question == "Q1b" && one.key.mode == "resident";
    const bool tells = is_plain(one.key) && (is_sweep || cost <= cheapest[question]);
    return std::pair(question.empty() ? 2
                     : tells          ? 0
                                      : 1,
                     cost * static_cast<double>(std::max<std::size_t>(1, one.key.count)));
  };
  std::stable_sort(cases.begin(), cases.end(),
                   [&](const PlannedCase& x, const PlannedCase& y) { return rank(x) < rank(y); });
}

// `norm-log has no bf16; it has f32, f64`. None: it is for neither modes nor types that it has no
// key.
std::optional<std::string> what_it_lacks(const Case& definition, Selection selection) {
  if (chosen_modes(definition, selection).empty() && !definition.modes().empty())
    return fmt::format("{} has no mode {}; it has {}", definition.name(),
                       fmt::join(selection.modes, " or "), fmt::join(definition.modes(), ", "));
  const auto name_of_type = [](const NumberType& one) { return type_name(one.type, one.math); };
  std::vector<std::string_view> asked, has;
  for (const NumberType& one : selection.types) asked.push_back(name_of_type(one));
  for (const NumberType& one : parse_types("f32,f64,tf32,f16,bf16")) {
    selection.types = {one};
    if (!definition.keys(selection).empty()) has.push_back(name_of_type(one));
  }
  if (asked.empty() || has.empty()) return std::nullopt;
  return fmt::format("{} has no {}; it has {}", definition.name(), fmt::join(asked, " or "),
                     fmt::join(has, ", "));
}

UsageError nothing_is_left(const RunOptions& options, std::vector<std::string> why,
                           bool nothing_else) {
  if (nothing_else) return UsageError(fmt::format("{}", fmt::join(why, "; ")));
  std::vector<std::string> given;
  if (!options.filter.empty()) given.emplace_back("--filter");
  if (!options.selection.modes.empty()) given.emplace_back("--mode");
  if (!options.selection.types.empty()) given.emplace_back("--type");
  if (!options.selection.sizes.empty()) given.emplace_back("--size");
  if (!options.selection.caches.empty()) given.emplace_back("--cache");
  why.push_back(fmt::format("no case is left; `breakeven run --dry-run`{}{} shows all names",
                            given.empty() ? "" : " without ", fmt::join(given, " and ")));
  return UsageError(fmt::format("{}", fmt::join(why, "; ")));
}

}  // namespace

Plan make_plan(const RunOptions& options, const Registry& registry) {
  Plan plan;
  const std::vector<const Plugin*> backends = choose_backends(options, registry, plan.notes);
  if (!options.backends.empty())
    require_used(options.settings, options.backends, "is not among --backend; add it");
  const std::vector<Target> targets = choose_devices(options, backends, plan.notes);
  const Pattern filter("--filter", options.filter);

  std::vector<std::string> left_out;
  std::size_t keys_of_case = 0, all_keys = 0;  // before the filter
  const auto on = [&](const Target& target, Selection selection) {
    selection.devices = std::max<std::size_t>(1, target.plugin->devices.size());
    if (target.device < target.plugin->devices.size())
      selection.kind = target.plugin->devices[target.device].kind;
    return selection;
  };
  const auto add = [&](const Case& definition, const Target& target, const Selection& selection) {
    for (Key& key : definition.keys(on(target, selection))) {
      ++keys_of_case;
      key.case_name = definition.name();
      key.backend = target.plugin->name;
      key.device = target.device;
      std::string name = name_of(key);
      if (!filter.is_in(name)) continue;
      plan.cases.push_back(
          {&definition, target.plugin, std::move(key), std::move(name), target.requested});
    }
  };
  for (const Case* definition : choose_cases(options)) {
    keys_of_case = 0;
    if (!definition->modes_are_devices()) {
      for (const Target& target : targets) add(*definition, target, options.selection);
    } else if (!options.devices.empty()) {
      left_out.push_back(
          fmt::format("{}: left out, because --device says where to measure", definition->name()));
    } else {
      for (const std::string& mode : chosen_modes(*definition, options.selection))
        for (const Target& target :
             gpu_if_there_is_one(backends, mode).value_or(std::vector<Target>())) {
          Selection selection = options.selection;
          selection.modes = {mode};
          add(*definition, target, selection);
        }
    }
    all_keys += keys_of_case;
    // Who names no case asks for those that have the modes and types.
    if (keys_of_case == 0 && !options.cases.empty())
      if (auto lack = what_it_lacks(*definition, on(targets.front(), options.selection)))
        left_out.push_back(std::move(*lack));
  }
  if (plan.cases.empty())
    throw nothing_is_left(options, left_out, all_keys == 0 && !left_out.empty());
  plan.notes.insert(plan.notes.end(), left_out.begin(), left_out.end());
  std::set<const Plugin*> told;
  for (const PlannedCase& one : plan.cases)
    if (told.insert(one.plugin).second && !one.plugin->advice.empty())
      plan.notes.push_back(fmt::format("{}: {}", one.plugin->name, one.plugin->advice));
  if (options.selection.preset == Preset::course) put_first_what_tells(plan.cases);
  return plan;
}

}  // namespace breakeven
