// SPDX-License-Identifier: Apache-2.0
// What was typed, taken kindly.
#pragma once

#include <string>
#include <vector>

#include "reports/text/usage.hpp"

namespace CLI {
class App;
}

namespace breakeven {

// `help`, `help run` and `version` as the options that they mean.
std::vector<std::string> understood(std::vector<std::string> words);

// The command that the words begin with; empty: none.
std::string command_of(const std::vector<std::string>& words, const CLI::App& program);

// Throws UsageError, with the command that may be meant, where the first of `words` (there is one)
// is none and asks for no help.
void require_command(const std::vector<std::string>& words, const CLI::App& program);

// With the option of `command` that may be meant.
UsageError unknown_argument(std::string_view word, const CLI::App& command);

}  // namespace breakeven
