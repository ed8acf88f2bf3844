// SPDX-License-Identifier: Apache-2.0
#include "suite/registry/inspection.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "reports/text/shell_word.hpp"
#include "suite/registry/loader.hpp"
#include "suite/registry/refusal.hpp"

namespace breakeven {
namespace {

using nlohmann::json;

constexpr std::size_t most_devices = 1024;

// What the plugin prints goes to standard error; the answer keeps the real standard output.
class Answer {
 public:
  Answer() : file_(dup(STDOUT_FILENO)) { dup2(STDERR_FILENO, STDOUT_FILENO); }

  void stage(std::string_view phrase) const { line({{"stage", phrase}}); }

  [[noreturn]] void finish(const Plugin& plugin) const {
    line({{"plugin", plugin}});
    std::_Exit(0);  // process-wide runtimes do not survive their destructors
  }

  void give_back_standard_output() const { dup2(file_, STDOUT_FILENO); }

 private:
  void line(const json& message) const {
    const std::string text = message.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    for (std::size_t done = 0; done < text.size();) {
      const auto bytes = ::write(file_, text.data() + done, text.size() - done);
      if (bytes < 0 && errno != EINTR) std::_Exit(1);
      if (bytes > 0) done += static_cast<std::size_t>(bytes);
    }
  }

  int file_;
};

std::string text_of(const Setting& setting) {
  return fmt::format("{}.{}={}", setting.backend, setting.name, setting.value);
}

std::vector<std::string> arguments_of(const std::filesystem::path& file,
                                      std::span<const Setting> settings) {
  std::vector<std::string> arguments = {"inspect", file.string()};
  for (const Setting& setting : settings) {
    arguments.insert(arguments.end(), {"--option", text_of(setting)});
  }
  return arguments;
}

// Returns only where nothing has to be set.
void start_again_with(const std::map<std::string, std::string>& environment,
                      const Inspection& inspection, const Answer& answer) {
  if (environment.empty()) return;
  auto arguments = arguments_of(inspection.file, inspection.settings);
  for (const auto& [name, value] : environment) {
    setenv(name.c_str(), value.c_str(), 1);
    arguments.insert(arguments.end(), {"--set", name + "=" + value});
  }
  std::string program = program_file().string();
  std::vector<char*> words = {program.data()};
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  answer.give_back_standard_output();
  execv(program.c_str(), words.data());
  throw Refusal("the program could not be started a second time");
}

Facts copied(std::span<const Fact> facts) {
  Facts result;
  for (const Fact& fact : facts) result.emplace_back(fact.key, fact.value);
  return result;
}

// Once the environment is as the plugin wants it.
std::string value_of(const Option& option, const Manifest& manifest,
                     std::span<const Setting> settings) {
  if (!option.environment_variable.empty()) {
    const char* const set = std::getenv(std::string(option.environment_variable).c_str());
    return set ? set : "";
  }
  std::string value(option.default_value);
  for (const Setting& setting : settings)
    if (setting.backend == manifest.name && setting.name == option.name) value = setting.value;
  return value;
}

void describe_manifest(const Manifest& manifest, std::span<const Setting> settings,
                       Plugin& plugin) {
  plugin.name = manifest.name;
  plugin.version = manifest.version;
  plugin.description = manifest.description;
  plugin.compiler = manifest.compiler;
  plugin.flags = manifest.flags;
  for (const Option& option : manifest.options) {
    plugin.options.push_back({.name = std::string(option.name),
                              .help = std::string(option.help),
                              .default_value = std::string(option.default_value),
                              .environment_variable = std::string(option.environment_variable),
                              .value = value_of(option, manifest, settings)});
  }
}

void describe_devices(Backend& backend, Plugin& plugin) {
  const auto devices = backend.devices();
  if (devices.size() > most_devices)
    throw Refusal(fmt::format("it has {} devices; the most are {}", devices.size(), most_devices));
  for (Device* const device : devices) {
    const DeviceInfo info = device->info();
    if (info.kind > Kind::node) throw Refusal("it has a device of a kind that does not exist");
    plugin.devices.push_back({.name = fmt::format("{}:{}", plugin.name, plugin.devices.size()),
                              .maker_name = std::string(info.name),
                              .kind = info.kind,
                              .memory_bytes = info.memory_bytes,
                              .free_bytes = info.free_bytes,
                              .hardware = std::string(info.hardware),
                              .facts = copied(device->facts())});
  }
  if (plugin.devices.empty()) throw Refusal("it has no device here");
}

void ask(const Inspection& inspection, const Answer& answer, Plugin& plugin) {
  answer.stage("while it was loaded");
  const Manifest manifest = load_plugin(inspection.file);
  describe_manifest(manifest, inspection.settings, plugin);
  if (inspection.environment.empty())
    start_again_with(environment_of(manifest, inspection.settings), inspection, answer);
  for (const std::string& variable : inspection.environment) {
    const auto equals = variable.find('=');
    plugin.environment[variable.substr(0, equals)] = variable.substr(equals + 1);
  }
  answer.stage("in probe");
  if (const char* const reason = probe(manifest)) throw Refusal(reason);
  answer.stage("in create");
  const auto backend = create_backend(manifest, inspection.settings);
  answer.stage("while it described its devices");
  plugin.facts = copied(backend->facts());
  plugin.advice = one_line(backend->advice());
  describe_devices(*backend, plugin);
  answer.finish(plugin);
}

std::string last_line(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (!one_line(line).empty()) last = line;
  }
  return one_line(last, 200);
}

// Of a backend, not of its variants: those are asked with the settings of the backend.
std::string words_of(std::span<const Setting> settings) {
  std::string words;
  for (const Setting& setting : settings)
    if (without_variant(setting.backend) == setting.backend)
      words += " --option " + shell_word(text_of(setting));
  return words;
}

std::string fix_for(const Candidate& candidate, const ChildEnd& end,
                    std::span<const Setting> settings) {
  if (!end.in_time) return "where it only needs longer: --probe-limit SECONDS";
  if (end.signal == SIGILL)
    return "it needs a processor extension that is missing here: build it for this processor";
  return fmt::format("see it happen: gdb --args {} inspect {}{}",
                     shell_word(program_file().string()), shell_word(candidate.path.string()),
                     words_of(settings));
}

}  // namespace

void Inspection::run() const {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const Answer answer;
  Plugin plugin;
  try {
    ask(*this, answer, plugin);
  } catch (const Refusal& refusal) {
    plugin.reason = refusal.reason();
    plugin.fix = refusal.fix();
  } catch (const std::exception& error) {
    plugin.reason = one_line(error.what());
  } catch (...) {
    plugin.reason = "it threw something that is no std::exception";
  }
  answer.finish(plugin);
}

ChildStart inspection_of(const Candidate& candidate, std::span<const Setting> settings) {
  return {arguments_of(candidate.resolved, settings), candidate.program};
}

Plugin inspected(const Candidate& candidate, const ChildEnd& end,
                 std::span<const Setting> settings) {
  Plugin plugin;
  std::string stage = "before it was loaded";
  bool answered = false;
  std::istringstream lines(end.output);
  // A plugin shares the child's memory and its standard output: nothing that comes is trusted.
  bool garbled = false;
  try {
    for (std::string line; std::getline(lines, line);) {
      const json message = json::parse(line, nullptr, false);
      if (message.contains("stage")) stage = message["stage"];
      if (message.contains("plugin")) plugin = message["plugin"], answered = true;
    }
  } catch (const json::exception&) {
    garbled = true;
  }
  if (garbled) plugin = {}, answered = false;
  plugin.path = candidate.path;
  plugin.resolved = candidate.resolved;
  plugin.program = candidate.program;
  plugin.source = candidate.source;
  plugin.inspection_seconds = end.seconds;
  if (plugin.name.empty()) plugin.name = candidate.path.stem();
  if (answered) return plugin;

  const bool flooded = end.output.size() >= most_output;
  plugin.reason = fmt::format("it {} {}",
                              garbled   ? "gave an answer that is not one"
                              : flooded ? fmt::format("said more than {} MiB", most_output >> 20)
                                        : describe(end),
                              stage);
  if (const std::string said = last_line(end.errors); !said.empty())
    *plugin.reason += fmt::format(", after saying: {}", said);
  plugin.fix = fix_for(candidate, end, settings);
  return plugin;
}

}  // namespace breakeven
