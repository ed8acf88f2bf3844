// SPDX-License-Identifier: Apache-2.0
// What was typed, taken kindly.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace breakeven {

// `help`, `help run` and `version` as the options that they mean.
std::vector<std::string> understood(std::vector<std::string> words);

// The command that the words begin with; empty: none.
std::string command_of(const std::vector<std::string>& words, const CLI::App& program);

// Why the first word is no command, and which may be meant; empty: it is one, or an option.
std::string unknown_command(const std::vector<std::string>& words, const CLI::App& program);

}  // namespace breakeven
