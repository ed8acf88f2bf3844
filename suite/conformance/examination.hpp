// SPDX-License-Identifier: Apache-2.0
// Holds a plugin against the rules, each in a child of its own.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "suite/conformance/rule.hpp"
#include "suite/registry/registry.hpp"

namespace breakeven::conformance {

enum class Verdict { kept, broken, not_applicable, not_tried };

struct Finding {
  const Rule* rule = nullptr;
  Verdict verdict = Verdict::not_tried;
  std::string detail;  // what was seen, or why the rule says nothing here
};

struct Examination {
  std::filesystem::path file;
  std::vector<Setting> settings;
  std::vector<std::string> rules;  // names; empty: all
  std::chrono::seconds time_limit{120};

  // Blocks; `found` is called for each rule in order. Throws std::invalid_argument for a rule that
  // does not exist.
  void run(const std::function<void(const Finding&)>& found) const;
};

// The child's side: one rule in this process, with the variables (NAME=value) set first.
[[noreturn]] void examine_here(const std::filesystem::path& file, std::string_view rule,
                               const std::vector<Setting>& settings,
                               const std::vector<std::string>& environment);

}  // namespace breakeven::conformance
