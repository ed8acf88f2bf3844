// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/program.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include "reports/commands/commands.hpp"
#include "reports/text/lines.hpp"
#include "suite/command_line/commands.hpp"
#include "suite/command_line/version.hpp"
#include "suite/command_line/words.hpp"

namespace breakeven {
namespace {

constexpr const char* examples = R"(
Examples:
  breakeven run                                   a verified table within a minute
  breakeven run --case matmul --size 64:4096 --backend serial,blas
  breakeven list --why                            what can be used here, and why the rest cannot
  breakeven find --case matmul --from serial --to blas
  breakeven compare before.csv after.csv
  breakeven report run.csv -o report.html)";

// No line is wider than a terminal of 80 columns: what explains a word goes on below itself.
class NarrowHelp final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    constexpr std::size_t width = 80, widest_words = 52;
    std::istringstream lines(CLI::Formatter::make_help(app, std::move(name), mode));
    std::string help;
    for (std::string line; std::getline(lines, line);) {
      const std::size_t begin = line.find_first_not_of(' ', line.rfind("  ", widest_words) + 1);
      if (line.size() > width)
        line.replace(begin, line.npos,
                     Lines(width).wrapped(line.substr(begin), begin).substr(begin));
      help += line + '\n';
    }
    return help;
  }
};

}  // namespace

void run_program(int argc, char** argv, std::string& command, int& status) {
  CLI::App program("From which size on does a device pay off? Measured, verified, explained.",
                   "breakeven");
  program.set_version_flag("--version",
                           fmt::format("breakeven {} ({})", suite_version, suite_commit));
  program.footer(examples);
  program.formatter(std::make_shared<NarrowHelp>());
  program.require_subcommand(1);
  for (const auto add : {add_run, add_find, add_compare, add_list, add_check, add_new, add_worker,
                         add_inspect, add_report, add_fleet, add_export, add_history})
    add(program, status);
  if (argc == 1) {
    std::cout << program.help();
    status = 2;
    return;
  }
  auto words = understood({argv + 1, argv + argc});
  const std::string name = command_of(words, program);
  if (!name.empty()) command += " " + name;
  require_command(words, program);
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    program.parse(std::move(words));
  } catch (const CLI::Success& asked) {  // --help, --version
    status = program.exit(asked);
  } catch (const CLI::ExtrasError&) {
    throw unknown_argument(program.remaining(true).front(), *program.get_subcommand(name));
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
}

}  // namespace breakeven
