// SPDX-License-Identifier: Apache-2.0
// Runs a program to its end, as a user would.
#pragma once

#include <string>
#include <vector>

namespace breakeven::test {

struct Finished {
  int status = -1;  // exit status, or 128 + signal
  std::string output, errors;
};

// `command` is a path and its arguments; `environment` holds NAME=value, set on top of the test's
// own. Standard input is empty. Throws std::runtime_error where it cannot be started.
Finished run(const std::vector<std::string>& command,
             const std::vector<std::string>& environment = {});

// The program under test: what the variable BREAKEVEN_PROGRAM names.
Finished breakeven(std::vector<std::string> arguments,
                   const std::vector<std::string>& environment = {});

// The value of a variable that CTest sets. Throws std::runtime_error where it is not set.
std::string required_variable(const char* name);

}  // namespace breakeven::test
