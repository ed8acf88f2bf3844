// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "reports/schema/schema.hpp"
#include "reports/text/lines.hpp"
#include "reports/text/output.hpp"
#include "reports/text/usage.hpp"
#include "suite/command_line/version.hpp"
#include "suite/command_line/words.hpp"
#include "suite/protocol/interrupt.hpp"

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

constexpr int usage_error = 2;

void complain(const std::string& command, const std::string& what) {
  print_line(stderr, printable(command + ": " + what));
}

// What is opened later must not take the place of a standard stream that is closed: what is printed
// would land in it.
void open_standard_streams() {
  int opened = 0;
  while (opened >= 0 && opened <= STDERR_FILENO) opened = open("/dev/null", O_RDWR);
  close(opened);
}

// `command`, for messages, and the exit `status` are set as far as they are known, also where it
// throws: UsageError, or what the command throws.
void do_what_was_typed(int argc, char** argv, std::span<const AddCommand> commands,
                       std::string& command, int& status) {
  CLI::App program("From which size on does a device pay off? Measured, verified, explained.",
                   "breakeven");
  program.set_version_flag("--version",
                           fmt::format("breakeven {} ({})", suite_version, suite_commit));
  program.footer(examples);
  program.formatter(std::make_shared<NarrowHelp>());
  program.require_subcommand(1);
  for (const AddCommand add : commands) add(program, status);
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

}  // namespace

int run_program(int argc, char** argv, std::span<const AddCommand> commands) {
  open_standard_streams();
  // A closed pipe and a file that may not grow are errors of the write, with their own message.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::string command = "breakeven";
  int status = 1;  // unless the command says otherwise
  try {
    do_what_was_typed(argc, argv, commands, command, status);
    flush_standard_output();
    return status;
  } catch (const Interrupted& interrupted) {
    return 128 + interrupted.signal;
  } catch (const UsageError& error) {
    complain(command, fmt::format("{}; see `{} --help`", error.what(), command));
    return usage_error;
  } catch (const Unusable& error) {
    complain(command, error.what());
    return usage_error;
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::broken_pipe && nobody_reads_standard_output()) return 0;
    const bool too_many = error.code() == std::errc::too_many_files_open;
    complain(command, error.what() + std::string(too_many ? "; raise `ulimit -n`" : ""));
    return status;
  } catch (const std::exception& error) {
    complain(command, error.what());
    return status;
  }
}

}  // namespace breakeven
