// SPDX-License-Identifier: Apache-2.0
// What the first table needs, and no more: `./bootstrap run` starts it while the rest is not built.
#include "suite/command_line/commands.hpp"
#include "suite/command_line/program.hpp"

int main(int argc, char** argv) {
  using namespace breakeven;
  constexpr AddCommand run = [](CLI::App& program, int& status) {
    add_run(program, status, std::nullopt);
  };
  constexpr AddCommand commands[] = {run, add_worker, add_inspect};
  return run_program(argc, argv, commands);
}
