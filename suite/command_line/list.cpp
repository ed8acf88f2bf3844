// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "reports/schema/schema.hpp"
#include "reports/text/lines.hpp"
#include "suite/command_line/commands.hpp"
#include "suite/command_line/plugin_table.hpp"
#include "suite/command_line/search_options.hpp"
#include "suite/registry/registry.hpp"

namespace breakeven {
namespace {

struct ListOptions {
  Search search;
  bool why = false, options = false, as_json = false;
};

int list(const ListOptions& options) {
  const Registry registry = Registry::find(options.search);
  registry.require_known(options.search.settings);
  if (options.as_json) {
    std::cout << nlohmann::json(registry).dump(2, ' ', false,
                                               nlohmann::json::error_handler_t::replace)
              << '\n';
  } else {
    std::cout << plugin_table(registry, shows_colour(stdout));
    if (options.options) std::cout << '\n' << option_table(registry, shows_colour(stdout));
    if (options.why) {
      std::cout << '\n';
      for (const Plugin& plugin : registry.plugins())
        if (!plugin.usable()) print_line(stdout, why_not_loaded(plugin));
      for (const auto& [name, why] : registry.not_built())
        print_line(stdout, printable("backend '" + name + "' not built: " + why));
    }
  }
  // What was asked for by its file must be usable.
  int status = 0;
  for (const Plugin& plugin : registry.plugins()) {
    if (plugin.usable() || plugin.source != "--plugin") continue;
    if (!options.why) print_line(stderr, "breakeven list: " + why_not_loaded(plugin));
    status = 1;
  }
  return status;
}

}  // namespace

void add_list(CLI::App& program, int& status) {
  const auto options = std::make_shared<ListOptions>();
  CLI::App* const command = program.add_subcommand("list", "Show the backends and their devices");
  command->add_flag("--why", options->why, "Say why plugins are not usable");
  command->add_flag("--options", options->options, "Show the options of the backends");
  command->add_flag("--json", options->as_json, "Everything, for programs");
  add_search_options(*command, options->search);
  command->footer(
      "\nExamples:\n"
      "  breakeven list                     what can be used here\n"
      "  breakeven list --why               and why the rest cannot\n"
      "  breakeven list --options           what --option BACKEND.NAME=VALUE can set\n"
      "  breakeven list --plugin mine.so    one more plugin\n"
      "\nExit status: 0; 1 a file named with --plugin cannot be used; 2 usage.");
  command->callback([options, &status] { status = list(*options); });
}

}  // namespace breakeven
