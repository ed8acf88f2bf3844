// SPDX-License-Identifier: Apache-2.0
// How a command that writes rows was called, and what all its rows share.
#pragma once

#include <CLI/App.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/schema/schema.hpp"
#include "suite/registry/setting.hpp"

namespace breakeven {

struct Invocation {
  std::string command;  // as it can be typed again
  // What was said that changes the rows, by option: a resumed run must say the same.
  std::vector<std::pair<std::string, std::string>> said;
  std::vector<std::pair<std::string, std::string>> labels;
  std::string machine;  // replaces the host name

  // --label and --machine. The invocation outlives the parsing.
  void add_options(CLI::App& app);

  // After the parsing: `program` with those of the options `names` that were said.
  void take(std::string_view program, const CLI::App& app, std::span<const char* const> names,
            std::span<const Setting> settings);
};

// Describes the machine: to be called before anything is loaded.
Row row_context(const Invocation& invocation);

std::string fresh_run_id();

}  // namespace breakeven
