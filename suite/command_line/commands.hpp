// SPDX-License-Identifier: Apache-2.0
// Every command is one file (those that read reports are in reports/commands/commands.hpp): it adds
// itself to the program and, when called, sets the exit status.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "reports/schema/schema.hpp"

namespace CLI {
class App;
}

namespace breakeven {

void add_check(CLI::App& program, int& status);
void add_find(CLI::App& program, int& status);
void add_inspect(CLI::App& program, int& status);  // hidden: the registry's child
void add_list(CLI::App& program, int& status);
void add_new(CLI::App& program, int& status);
void add_worker(CLI::App& program, int& status);  // hidden: the run's child

// What a run leaves to those who read reports.
struct RunReaders {
  // The verdict of a report of two builds, on standard output: an exit status.
  int (*compare)(const std::string& report, std::string_view variant);
  // Opens the file of a history, to keep rows in.
  std::function<void(std::span<const Row>)> (*history)(const std::string& file);
};
// Without readers, what would need them is refused.
void add_run(CLI::App& program, int& status, std::optional<RunReaders> readers);

}  // namespace breakeven
