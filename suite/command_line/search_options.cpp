// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/search_options.hpp"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <stdexcept>

namespace breakeven {

void add_search_options(CLI::App& command, Search& search) {
  constexpr auto group = "Plugins";
  const auto paths_into = [](std::vector<std::filesystem::path>& paths) {
    return [&paths](const std::vector<std::string>& texts) {
      paths.assign(texts.begin(), texts.end());
    };
  };
  command
      .add_option_function<std::vector<std::string>>("--plugin", paths_into(search.files),
                                                     "A plugin file; comes before all others")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option_function<std::vector<std::string>>(
          "--plugin-dir", paths_into(search.folders),
          "A folder of plugins; then BREAKEVEN_PLUGIN_PATH, then the installed ones")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option_function<std::vector<std::string>>(
          "--option",
          [&search](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              try {
                search.settings.push_back(parse_setting(text));
              } catch (const std::invalid_argument& error) {
                throw CLI::ValidationError(error.what());
              }
            }
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
