// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "suite/command_line/commands.hpp"
#include "suite/worker/serve.hpp"

namespace breakeven {

void add_worker(CLI::App& program, int&) {
  struct Options {
    ServeOptions serve;
    std::vector<int> channel;
    std::vector<std::string> settings;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* const command = program.add_subcommand("worker", "Serve a run's parent");
  command->group("");
  command->add_option("--channel", options->channel)->expected(2)->delimiter(',')->required();
  command->add_option("--plugin", options->serve.plugin);
  command->add_option("--option", options->settings);
  command->callback([options] {
    for (const std::string& setting : options->settings)
      options->serve.settings.push_back(parse_setting(setting));
    options->serve.requests = options->channel.at(0);
    options->serve.answers = options->channel.at(1);
    serve(options->serve);
  });
}

}  // namespace breakeven
