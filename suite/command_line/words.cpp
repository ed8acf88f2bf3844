// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/words.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <array>

namespace breakeven {
std::vector<std::string> understood(std::vector<std::string> words) {
  if (words.empty()) {
    return words;
  }
  if (words.front() == "version") {
    words.front() = "--version";
  } else if (words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  return words;
}

std::string command_of(const std::vector<std::string>& words, const CLI::App& program) {
  const auto found = program.get_subcommands([&](const CLI::App* command) {
    return !words.empty() && command->get_name() == words.front();
  });
  return found.empty() ? "" : words.front();
}

UsageError unknown_argument(std::string_view word, const CLI::App& command) {
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  const std::string_view name = word.substr(0, word.find('='));
  return UsageError(fmt::format("unknown argument '{}'{}", word, nearest(name, known)));
}

void require_command(const std::vector<std::string>& words, const CLI::App& program) {
  static constexpr std::array asking = {"--help", "-h", "--version"};
  const std::string& first = words.front();
  if (!command_of(words, program).empty() ||
      std::find(asking.begin(), asking.end(), first) != asking.end())
    return;
  if (first.starts_with('-')) throw unknown_argument(first, program);
  std::vector<std::string> known;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
    if (!command->get_group().empty()) known.push_back(command->get_name());  // else it is hidden
  throw unknown_word("command", first, known);
}

}  // namespace breakeven
