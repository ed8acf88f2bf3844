// SPDX-License-Identifier: Apache-2.0
// Every command is one file (those that read reports are in reports/commands/commands.hpp): it adds
// itself to the program and, when called, sets the exit status.
#pragma once

namespace CLI {
class App;
}

namespace breakeven {

void add_check(CLI::App& program, int& status);
void add_find(CLI::App& program, int& status);
void add_inspect(CLI::App& program, int& status);  // hidden: the registry's child
void add_list(CLI::App& program, int& status);
void add_new(CLI::App& program, int& status);
void add_run(CLI::App& program, int& status);
void add_worker(CLI::App& program, int& status);  // hidden: the run's child

}  // namespace breakeven
