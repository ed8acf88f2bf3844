// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/words.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <numeric>
#include <utility>

namespace breakeven {
namespace {

// Letters put in, left out or replaced (Levenshtein).
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> line(b.size() + 1);
  std::iota(line.begin(), line.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(line[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = line[j + 1];
      line[j + 1] = std::min({line[j] + 1, line[j + 1] + 1, replaced});
    }
  }
  return line.back();
}

// Those that are shown, in the order of the help.
std::vector<std::string> commands_of(const CLI::App& program) {
  std::vector<std::string> names;
  for (const auto* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

}  // namespace

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
  const auto names = commands_of(program);
  return !words.empty() && std::find(names.begin(), names.end(), words.front()) != names.end()
             ? words.front()
             : "";
}

std::string unknown_command(const std::vector<std::string>& words, const CLI::App& program) {
  if (words.empty() || words.front().starts_with('-') || !command_of(words, program).empty()) {
    return "";
  }
  const auto names = commands_of(program);
  const auto nearest =
      std::min_element(names.begin(), names.end(), [&](const auto& a, const auto& b) {
        return distance(words.front(), a) < distance(words.front(), b);
      });
  const bool is_near = nearest != names.end() && distance(words.front(), *nearest) <= 2;
  return fmt::format("there is no command '{}'; {}`breakeven --help` shows all", words.front(),
                     is_near ? fmt::format("did you mean `breakeven {}`? ", *nearest) : "");
}

}  // namespace breakeven
