// SPDX-License-Identifier: Apache-2.0
// The program with all of its commands.
#pragma once

#include <string>

namespace breakeven {

// Does what was typed. `command`, for messages, and the exit `status` are set as far as they are
// known, also where it throws: UsageError, or what the command throws.
void run_program(int argc, char** argv, std::string& command, int& status);

}  // namespace breakeven
