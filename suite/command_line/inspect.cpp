// SPDX-License-Identifier: Apache-2.0
#include "suite/registry/inspection.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "suite/command_line/commands.hpp"
#include "suite/command_line/search_options.hpp"

namespace breakeven {

void add_inspect(CLI::App& program, int&) {
  struct State {
    Inspection inspection;
    std::string file;
    Search search;  // only its settings are used
  };
  const auto state = std::make_shared<State>();
  CLI::App* const command = program.add_subcommand("inspect", "Ask one plugin who it is, as JSON");
  command->group("");  // the registry's own
  command->add_option("file", state->file)->required();
  command->add_option("--set", state->inspection.environment)->allow_extra_args(false);
  add_search_options(*command, state->search);
  command->callback([state] {
    state->inspection.file = state->file;
    state->inspection.settings = state->search.settings;
    state->inspection.run();
  });
}

}  // namespace breakeven
