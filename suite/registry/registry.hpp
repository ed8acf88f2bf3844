// SPDX-License-Identifier: Apache-2.0
// Every plugin file that was found, usable or not. The parent never loads one: each is inspected in
// a child of its own.
#pragma once

#include <breakeven/plugin.hpp>

#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "suite/registry/setting.hpp"

namespace breakeven {

// Where to look, and what to set. `files` come first, then `folders`, then BREAKEVEN_PLUGIN_PATH,
// then ../lib/breakeven/plugins beside the program's folder.
struct Search {
  std::vector<std::filesystem::path> files, folders;
  std::vector<Setting> settings;
  std::vector<OtherBuild> other_builds;
  bool trust_writable = false;          // also load what others can change
  std::chrono::seconds time_limit{30};  // for one inspection
};

using Facts = std::vector<std::pair<std::string, std::string>>;

struct PluginDevice {
  std::string name;        // `cublas:1`
  std::string maker_name;  // as its maker calls it
  Kind kind = Kind::cpu;
  std::size_t memory_bytes = 0, free_bytes = 0;
  std::string hardware;  // words separated by spaces, see DeviceInfo
  Facts facts;
};

struct PluginOption {
  std::string name, help, default_value, environment_variable;
  std::string value;  // what holds: set, inherited or the default; empty: the plugin chooses
};

// Where the manifest could not be read, `name` is the file's and `compiler` is empty.
struct Plugin {
  std::filesystem::path path;      // as found
  std::filesystem::path resolved;  // without links: what a worker loads
  std::filesystem::path program;   // whose worker loads it; empty: this one's
  std::string source;              // `--plugin`, or the folder it was found in
  std::string name, version, description, compiler, flags;
  std::vector<PluginOption> options;
  std::map<std::string, std::string> environment;  // to set before it is loaded, see environment_of
  std::vector<PluginDevice> devices;
  Facts facts;
  std::string advice;
  double inspection_seconds = 0;

  std::optional<std::string> reason;  // why it is not usable; none: usable
  std::string fix;                    // what to do about it; may be empty

  bool usable() const { return !reason; }
};

// Words that are the same for the same piece of hardware, whichever backend drives it; none: it
// computes in the host's memory.
std::vector<std::string> hardware_of(const Plugin& plugin, std::size_t device);

// They drive hardware that only one process at a time may use.
bool exclude_each_other(const Plugin& one, const Plugin& other);

// They drive some of the same hardware, be it the host.
bool share_hardware(const Plugin& one, const Plugin& other);

// `backend 'X' (PATH) not loaded: reason. fix`
std::string why_not_loaded(const Plugin& plugin);

class Registry {
 public:
  // Inspects all candidates at the same time; blocks until all have answered or had their time.
  // Throws std::invalid_argument, with the line for the user, where the search itself is wrong.
  static Registry find(const Search& search);

  explicit Registry(std::vector<Plugin> plugins, Facts not_built = {})
      : plugins_(std::move(plugins)), not_built_(std::move(not_built)) {}

  std::span<const Plugin> plugins() const { return plugins_; }  // in the order of the search

  // Plugins of this program that its build left out, and why.
  const Facts& not_built() const { return not_built_; }

  // Null: no such file was found. The result may be not usable.
  const Plugin* named(std::string_view backend) const;

  // The result may be not usable. Throws std::invalid_argument, with the line for the user, where
  // no such file was found.
  const Plugin& require(const std::string& backend) const;

  // Throws std::invalid_argument, with the line for the user, where a setting names a backend or an
  // option that does not exist.
  void require_known(std::span<const Setting> settings) const;

 private:
  std::vector<Plugin> plugins_;
  Facts not_built_;
};

void to_json(nlohmann::json& json, const Plugin& plugin);
void from_json(const nlohmann::json& json, Plugin& plugin);
void to_json(nlohmann::json& json, const Registry& registry);

}  // namespace breakeven
