// SPDX-License-Identifier: Apache-2.0
// The commands of the program. Each adds a subcommand whose callback does the work and sets
// `status` to the exit status; usage errors are thrown as std::invalid_argument or UsageError.
#pragma once

namespace CLI {
class App;
}

namespace breakeven {

void add_check(CLI::App& program, int& status);
void add_inspect(CLI::App& program, int& status);  // hidden: the registry's child
void add_list(CLI::App& program, int& status);
void add_new(CLI::App& program, int& status);

}  // namespace breakeven
