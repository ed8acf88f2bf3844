// SPDX-License-Identifier: Apache-2.0
// Runs children to their end; their crash, hang or exit costs the parent nothing.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace breakeven {

inline constexpr std::size_t most_output = 4 << 20;

struct ChildEnd {
  std::string output, errors;  // what it wrote; of a flood no more than most_output
  bool in_time = true;         // false: it was killed at the time limit
  int exit_status = 0;         // as its own, where it left by itself
  int signal = 0;              // not 0: what killed it
  double seconds = 0;
};

struct ChildStart {
  std::vector<std::string> arguments;
  std::filesystem::path program = {};  // empty: this one
};

// What a child started is killed when it ends or when its time is over. At most `at_once` run
// together. Blocks until all have ended; the order of the results is that of the starts.
std::vector<ChildEnd> run_children(std::span<const ChildStart> starts,
                                   std::chrono::milliseconds time_limit, std::size_t at_once);

// `crashed (SIGSEGV)`, `ended the process with status 3`, `gave no answer within 30 s`.
std::string describe(const ChildEnd& end);

}  // namespace breakeven
