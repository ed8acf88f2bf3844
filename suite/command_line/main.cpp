// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "reports/schema/schema.hpp"
#include "reports/text/lines.hpp"
#include "reports/text/output.hpp"
#include "reports/text/usage.hpp"
#include "suite/command_line/program.hpp"
#include "suite/protocol/interrupt.hpp"

namespace breakeven {
namespace {

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

}  // namespace
}  // namespace breakeven

int main(int argc, char** argv) {
  using namespace breakeven;
  open_standard_streams();
  // A closed pipe and a file that may not grow are errors of the write, with their own message.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::string command = "breakeven";
  int status = 1;  // unless the command says otherwise
  try {
    run_program(argc, argv, command, status);
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
