// SPDX-License-Identifier: Apache-2.0
// The program, around its commands.
#pragma once

#include <span>

namespace CLI {
class App;
}

namespace breakeven {

// Adds a command to the program, which sets `status` when it is called.
using AddCommand = void (*)(CLI::App& program, int& status);

// Does what was typed, and tells what went wrong. Returns the exit status.
int run_program(int argc, char** argv, std::span<const AddCommand> commands);

}  // namespace breakeven
