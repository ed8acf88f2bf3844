// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "suite/command_line/commands.hpp"
#include "suite/protocol/worker.hpp"

namespace breakeven {

void add_worker(CLI::App& program, int&) {
  struct Options {
    std::filesystem::path plugin;
    std::vector<int> channel;
    std::vector<std::string> settings;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* const command = program.add_subcommand("worker", "Serve a run's parent");
  command->group("");
  command->add_option("--channel", options->channel)->expected(2)->delimiter(',')->required();
  command->add_option("--plugin", options->plugin);
  command->add_option("--option", options->settings);
  command->callback([options] {
    std::vector<Setting> settings;
    for (const std::string& setting : options->settings) settings.push_back(parse_setting(setting));
    Worker worker(options->plugin, std::move(settings));
    serve(worker, options->channel.at(0), options->channel.at(1));
  });
}

}  // namespace breakeven
