// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "reports/commands.hpp"
#include "reports/text/lines.hpp"
#include "reports/text/output.hpp"
#include "suite/command_line/commands.hpp"
#include "suite/command_line/version.hpp"
#include "suite/command_line/words.hpp"
#include "suite/protocol/interrupt.hpp"

namespace {

constexpr int usage_error = 2;

constexpr const char* examples = R"(
Examples:
  breakeven run                                   a verified table within a minute
  breakeven run --case matmul --size 64:4096 --backend serial,blas
  breakeven list --why                            what can be used here, and why the rest cannot
  breakeven find --case matmul --from serial --to blas
  breakeven compare before.csv after.csv
  breakeven report run.csv -o report.html)";

// Never throws, also where nobody reads what is said.
void complain(const std::exception& error, const char* what_to_do = "") {
  std::fprintf(stderr, "breakeven: %s%s\n", error.what(), what_to_do);
}

// What is opened later must not take the place of a standard stream that is closed: what is printed
// would land in it.
void open_standard_streams() {
  int opened = 0;
  while (opened >= 0 && opened <= STDERR_FILENO) opened = open("/dev/null", O_RDWR);
  close(opened);
}

// No line is wider than a terminal of 80 columns: what explains a word goes on below itself, a
// command as a shell reads it.
class NarrowHelp final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    constexpr std::size_t width = 80, widest_words = 52;
    std::istringstream lines(CLI::Formatter::make_help(app, std::move(name), mode));
    std::string help;
    for (std::string line; std::getline(lines, line);) {
      const std::size_t begin = line.find_first_not_of(' ', line.rfind("  ", widest_words) + 1);
      const std::size_t option = line.rfind(" -", width - 2);
      if (line.size() > width && (begin > 2 || option == line.npos)) {
        line = line.substr(0, begin) +
               breakeven::Lines(width).wrapped(line.substr(begin), begin).substr(begin);
      } else if (line.size() > width) {
        line = line.substr(0, option) + " \\\n     " + line.substr(option);
      }
      help += line + '\n';
    }
    return help;
  }
};

int run_program(int argc, char** argv) {
  CLI::App program("From which size on does a device pay off? Measured, verified, explained.",
                   "breakeven");
  program.set_version_flag("--version", fmt::format("breakeven {} ({})", breakeven::suite_version,
                                                    breakeven::suite_commit));
  program.footer(examples);
  program.formatter(std::make_shared<NarrowHelp>());
  program.require_subcommand(1);
  int status = 0;
  for (const auto add :
       {breakeven::add_run, breakeven::add_find, breakeven::add_compare, breakeven::add_list,
        breakeven::add_check, breakeven::add_new, breakeven::add_worker, breakeven::add_inspect,
        breakeven::add_report, breakeven::add_fleet, breakeven::add_export, breakeven::add_history})
    add(program, status);
  if (argc == 1) {
    std::cout << program.help();
    return usage_error;
  }
  auto words = breakeven::understood({argv + 1, argv + argc});
  const auto command = breakeven::command_of(words, program);
  if (const auto unknown = breakeven::unknown_command(words, program); !unknown.empty()) {
    fmt::print(stderr, "breakeven: {}\n", unknown);
    return usage_error;
  }
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    program.parse(std::move(words));
  } catch (const CLI::Success& asked) {  // --help, --version
    return program.exit(asked);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "breakeven{0}: {1}; `breakeven{0} --help` shows what is allowed\n",
               command.empty() ? "" : " " + command, error.what());
    return usage_error;
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  // A closed pipe and a file that may not grow are errors of the write, with their own message.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const int status = run_program(argc, argv);
    breakeven::flush_standard_output();
    return status;
  } catch (const breakeven::Interrupted& interrupted) {
    return 128 + interrupted.signal;
  } catch (const std::invalid_argument& error) {
    complain(error);
    return usage_error;
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::broken_pipe && breakeven::nobody_reads_standard_output())
      return 0;
    complain(error, error.code() == std::errc::too_many_files_open ? "; raise `ulimit -n`" : "");
    return 1;
  } catch (const std::exception& error) {
    complain(error);
    return 1;
  }
}
