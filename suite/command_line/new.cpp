// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "reports/text/usage.hpp"
#include "suite/command_line/commands.hpp"
#include "suite/registry/discovery.hpp"
#include "suite/registry/registry.hpp"
#include "suite/skeleton/skeleton.hpp"

namespace breakeven {
namespace {

// By a plugin that is installed or on the search path: run would not know which of the two is
// meant.
bool is_taken(const std::string& name) {
  const Registry registry = Registry::find({});
  return std::ranges::any_of(registry.plugins(),
                             [&](const Plugin& plugin) { return plugin.name == name; });
}

int make_plugin(const std::string& name, const std::string& folder) {
  if (is_taken(name)) {
    throw Unusable(fmt::format(
        "there is a backend '{}' already; `breakeven list` shows them, name yours otherwise",
        name));
  }
  write_skeleton(name, folder);
  fmt::print(
      "made {0}; go on with\n"
      "  cd {0}\n"
      "  cmake -B build -D CMAKE_PREFIX_PATH={1}\n"
      "  cmake --build build\n"
      "  breakeven check build/{2}.so\n"
      "  breakeven run --plugin build/{2}.so --backend {2} --case matmul --size 64\n",
      folder, program_file().parent_path().parent_path().string(), name);
  return 0;
}

}  // namespace

void add_new(CLI::App& program, int& status) {
  struct Options {
    std::string name, folder;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* const command =
      program.add_subcommand("new", "Start a plugin: a small backend that builds and runs");
  command->add_option("name", options->name, "Of the backend: lower-case letters, digits, dashes")
      ->required();
  command->add_option("folder", options->folder, "Where to make it (default: ./NAME)");
  command->footer(
      "\nExamples:\n"
      "  breakeven new mine              a backend `mine` in ./mine\n"
      "  breakeven new mine ~/src/mine   elsewhere\n"
      "\nExit status: 0; 2 the name is none or taken, or the folder is not empty.");
  command->callback([options, &status] {
    status = make_plugin(options->name, options->folder.empty() ? options->name : options->folder);
  });
}

}  // namespace breakeven
