// SPDX-License-Identifier: Apache-2.0
#include "reports/commands/commands.hpp"
#include "suite/command_line/commands.hpp"
#include "suite/command_line/program.hpp"

int main(int argc, char** argv) {
  using namespace breakeven;
  constexpr AddCommand run = [](CLI::App& program, int& status) {
    add_run(program, status, RunReaders{compare_variants, open_history});
  };
  constexpr AddCommand commands[] = {run,        add_find,  add_compare, add_list,
                                     add_check,  add_new,   add_worker,  add_inspect,
                                     add_report, add_fleet, add_export,  add_history};
  return run_program(argc, argv, commands);
}
