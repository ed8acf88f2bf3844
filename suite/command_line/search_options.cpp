// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/search_options.hpp"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "reports/text/usage.hpp"

namespace breakeven {

namespace {

// False: it is no `BACKEND@NAME=FILE`.
bool add_other_build(Search& search, std::string_view option, const std::string& text) {
  const auto parts = parse_other_build(option, text);
  if (!parts) return false;
  const bool is_program = option == "--program";
  const auto place_of = [&](OtherBuild& other) -> std::filesystem::path& {
    return is_program ? other.program : other.plugin;
  };
  for (OtherBuild& known : search.other_builds)
    if (known.variant == parts->first && place_of(known).empty()) {
      place_of(known) = parts->second;
      return true;
    }
  place_of(search.other_builds.emplace_back(OtherBuild{parts->first, {}, {}})) = parts->second;
  return true;
}

}  // namespace

void add_program_option(CLI::App& command, Search& search) {
  command
      .add_option_function<std::vector<std::string>>(
          "--program",
          [&search](const std::vector<std::string>& texts) {
            for (const std::string& text : texts)
              if (!add_other_build(search, "--program", text))
                throw UsageError("--program '" + text + "' is not of the form BACKEND@NAME=FILE");
          },
          "Another build of this program, as a variant that it runs with its own plugin")
      ->type_name("BACKEND@NAME=FILE")
      ->allow_extra_args(false)
      ->group("Plugins");
}

void add_search_options(CLI::App& command, Search& search) {
  constexpr auto group = "Plugins";
  command
      .add_option_function<std::vector<std::string>>(
          "--plugin",
          [&search](const std::vector<std::string>& texts) {
            for (const std::string& text : texts)
              if (!add_other_build(search, "--plugin", text)) search.files.emplace_back(text);
          },
          "A plugin file, which comes before all others; BACKEND@NAME=FILE: that file as a variant")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option_function<std::vector<std::string>>(
          "--plugin-dir",
          [&search](const std::vector<std::string>& texts) {
            search.folders.assign(texts.begin(), texts.end());
          },
          "A folder of plugins; then BREAKEVEN_PLUGIN_PATH, then the installed ones")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option_function<std::vector<std::string>>(
          "--option",
          [&search](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) search.settings.push_back(parse_setting(text));
          },
          "Sets an option of a backend (of a variant: BACKEND@ANY.NAME=VALUE); `list --options` "
          "shows them")
      ->type_name("BACKEND.NAME=VALUE")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_flag("--trust-writable", search.trust_writable,
                "Also load plugins that others can change")
      ->group(group);
  command
      .add_option_function<unsigned>(
          "--probe-limit",
          [&search](unsigned seconds) { search.time_limit = std::chrono::seconds(seconds); },
          "How long a plugin may take to say what it is (default: 30)")
      ->type_name("SECONDS")
      ->check(CLI::Range(1u, 3600u))
      ->group(group);
}

}  // namespace breakeven
