// SPDX-License-Identifier: Apache-2.0
#include "suite/registry/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>
#include <sstream>
#include <stdexcept>

#include "reports/schema/schema.hpp"
#include "reports/text/usage.hpp"
#include "suite/registry/children.hpp"
#include "suite/registry/discovery.hpp"
#include "suite/registry/file_check.hpp"
#include "suite/registry/inspection.hpp"
#include "suite/registry/refusal.hpp"

namespace breakeven {
namespace {

Plugin refused(const Candidate& candidate, const Refusal& refusal) {
  Plugin plugin;
  plugin.path = candidate.path;
  plugin.resolved = candidate.resolved;
  plugin.source = candidate.source;
  plugin.name = candidate.path.stem();
  plugin.reason = refusal.reason();
  plugin.fix = refusal.fix();
  return plugin;
}

Candidate candidate_of(const OtherBuild& other) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!other.program.empty() && !fs::is_regular_file(other.program, error))
    throw Unusable(fmt::format("--program {}={}: there is no such program", other.variant,
                               other.program.string()));
  const std::string base(without_variant(other.variant));
  const fs::path path = other.plugin.empty() ? other.program.parent_path().parent_path() /
                                                   "lib/breakeven/plugins" / (base + ".so")
                                             : other.plugin;
  fs::path resolved = fs::canonical(path, error);
  if (error) resolved = path;
  return {path, resolved, other.plugin.empty() ? "--program" : "--plugin", other.variant,
          other.program};
}

// Of one file: as it is, or as a variant.
struct Question {
  std::size_t candidate;
  std::string variant;  // `blas@skx`
};

std::vector<Question> questions_about(const std::vector<Candidate>& candidates,
                                      std::size_t candidate, std::span<const Setting> settings) {
  const std::string& its_own = candidates[candidate].variant;
  std::vector<Question> questions{{candidate, its_own}};
  if (!its_own.empty()) return questions;
  for (const Setting& setting : settings) {
    const std::string_view base = without_variant(setting.backend);
    if (base == setting.backend || base != candidates[candidate].path.stem() ||
        std::ranges::find(candidates, setting.backend, &Candidate::variant) != candidates.end())
      continue;
    if (std::ranges::find(questions, setting.backend, &Question::variant) == questions.end())
      questions.push_back({candidate, setting.backend});
  }
  return questions;
}

Plugin answered(const Question& question, const Candidate& candidate, Plugin plugin) {
  if (question.variant.empty()) return plugin;
  if (plugin.usable() && plugin.name != without_variant(question.variant)) {
    plugin.reason = fmt::format("the file is named otherwise than its backend '{}'", plugin.name);
    plugin.fix = candidate.variant.empty()
                     ? fmt::format("name the file {}.so", plugin.name)
                     : fmt::format("write {}@NAME={}", plugin.name, candidate.path.string());
  }
  plugin.name = question.variant;
  for (std::size_t i = 0; i < plugin.devices.size(); ++i)
    plugin.devices[i].name = fmt::format("{}:{}", plugin.name, i);
  return plugin;
}

void refuse_duplicates(std::vector<Plugin>& plugins) {
  for (auto plugin = plugins.begin(); plugin != plugins.end(); ++plugin) {
    const auto first = std::ranges::find(plugins.begin(), plugin, plugin->name, &Plugin::name);
    if (first == plugin || !plugin->usable()) continue;
    plugin->reason = fmt::format("the name is taken by {}", first->path.string());
    plugin->fix =
        fmt::format("remove one of them, or choose with --plugin {}", plugin->path.string());
  }
}

UsageError unknown_backend(std::span<const Plugin> plugins, const std::string& name) {
  std::vector<std::string> names;
  for (const Plugin& known : plugins) names.push_back(known.name);
  return unknown_word("backend", name, names);
}

}  // namespace

namespace {

std::set<std::string> exclusive_hardware(const Plugin& plugin) {
  const std::pair<std::string, std::string> exclusive{"most_processes", "1"};
  std::set<std::string> words;
  for (std::size_t i = 0; i < plugin.devices.size(); ++i) {
    const Facts& facts = plugin.devices[i].facts;
    if (std::find(facts.begin(), facts.end(), exclusive) == facts.end()) continue;
    for (std::string& word : hardware_of(plugin, i)) words.insert(std::move(word));
  }
  return words;
}

}  // namespace

std::vector<std::string> hardware_of(const Plugin& plugin, std::size_t device) {
  if (device >= plugin.devices.size() || plugin.devices[device].kind == Kind::cpu) return {};
  std::istringstream words(plugin.devices[device].hardware);
  std::vector<std::string> hardware{std::istream_iterator<std::string>(words), {}};
  if (hardware.empty()) hardware.push_back(plugin.devices[device].name);
  return hardware;
}

bool exclude_each_other(const Plugin& one, const Plugin& other) {
  if (&one == &other) return false;
  const std::set<std::string> of_one = exclusive_hardware(one),
                              of_other = exclusive_hardware(other);
  return std::any_of(of_one.begin(), of_one.end(),
                     [&](const std::string& word) { return of_other.contains(word); });
}

bool share_hardware(const Plugin& one, const Plugin& other) {
  const auto words = [](const Plugin& plugin) {
    std::set<std::string> all;
    for (std::size_t i = 0; i < plugin.devices.size(); ++i)
      for (std::string& word : hardware_of(plugin, i)) all.insert(std::move(word));
    if (all.empty()) all.insert("host");
    return all;
  };
  const auto of_one = words(one), of_other = words(other);
  return std::any_of(of_one.begin(), of_one.end(),
                     [&](const std::string& word) { return of_other.contains(word); });
}

std::string why_not_loaded(const Plugin& plugin) {
  std::string line = fmt::format("backend '{}' ({}) not loaded: {}", plugin.name,
                                 plugin.path.string(), plugin.reason.value_or("it is usable"));
  if (!plugin.fix.empty()) line += "; " + plugin.fix;
  return printable(line);
}

Registry Registry::find(const Search& search) {
  const char* const search_path = std::getenv("BREAKEVEN_PLUGIN_PATH");
  const auto installed = program_file().parent_path().parent_path() / "lib/breakeven/plugins";
  auto candidates =
      discover(search.files, search.folders, search_path ? search_path : "", installed);
  for (const OtherBuild& other : search.other_builds) candidates.push_back(candidate_of(other));

  std::vector<std::vector<Plugin>> found(candidates.size());  // each with its variants
  std::vector<Question> questions;
  std::vector<std::vector<Setting>> settings_asked;  // of each question
  std::vector<ChildStart> starts;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    try {
      if (!search.trust_writable) require_trustworthy(candidates[i].resolved);
      require_loadable(candidates[i].resolved);
      for (const Question& question : questions_about(candidates, i, search.settings)) {
        settings_asked.push_back(question.variant.empty()
                                     ? search.settings
                                     : settings_of(question.variant, search.settings));
        starts.push_back(inspection_of(candidates[i], settings_asked.back()));
        questions.push_back(question);
      }
    } catch (const Refusal& refusal) {
      for (const Question& question : questions_about(candidates, i, search.settings))
        found[i].push_back(answered(question, candidates[i], refused(candidates[i], refusal)));
    }
  }
  const auto ends = run_children(starts, search.time_limit, starts.size());
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const Candidate& candidate = candidates[questions[i].candidate];
    found[questions[i].candidate].push_back(
        answered(questions[i], candidate, inspected(candidate, ends[i], settings_asked[i])));
  }
  std::vector<Plugin> plugins;
  for (std::vector<Plugin>& of_one_file : found)
    std::move(of_one_file.begin(), of_one_file.end(), std::back_inserter(plugins));
  refuse_duplicates(plugins);
  Facts left_out = breakeven::not_built(installed);
  std::erase_if(left_out, [&](const auto& one) {
    return std::ranges::find(plugins, one.first, &Plugin::name) != plugins.end();
  });
  return Registry(std::move(plugins), std::move(left_out));
}

const Plugin* Registry::named(std::string_view backend) const {
  const auto found = std::ranges::find(plugins_, backend, &Plugin::name);
  return found == plugins_.end() ? nullptr : &*found;
}

const Plugin& Registry::require(const std::string& backend) const {
  if (const Plugin* const plugin = named(backend)) return *plugin;
  const std::string_view base = without_variant(backend);
  if (base != backend && named(base))
    throw UsageError(
        fmt::format("unknown backend '{0}': `--option {0}.NAME=VALUE` or `--plugin {0}=FILE` makes "
                    "a variant",
                    backend));
  throw unknown_backend(plugins_, backend);
}

void Registry::require_known(std::span<const Setting> settings) const {
  for (const Setting& setting : settings) {
    const Plugin* const plugin = named(setting.backend);
    if (!plugin) throw unknown_backend(plugins_, setting.backend);
    if (plugin->compiler.empty()) continue;  // its options are not known
    if (std::ranges::find(plugin->options, setting.name, &PluginOption::name) !=
        plugin->options.end())
      continue;
    std::vector<std::string> names;
    for (const PluginOption& option : plugin->options) names.push_back(option.name);
    throw UsageError(fmt::format(
        "--option {}.{}: backend '{}' has {}{}", setting.backend, setting.name, setting.backend,
        names.empty() ? "no options" : "only the options: ", fmt::join(names, ", ")));
  }
}

}  // namespace breakeven
