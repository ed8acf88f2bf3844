// SPDX-License-Identifier: Apache-2.0
// What `breakeven run` was asked to do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "suite/model/case.hpp"
#include "suite/registry/setting.hpp"

namespace breakeven {

struct RunOptions {
  std::vector<std::string> backends;  // empty: all that can be used, in the registry's order
  std::vector<std::string> cases;     // empty: all
  std::string filter;                 // regular expression on full case names; empty: all
  std::vector<std::string>
      devices;          // `0`, `cublas:1`, `all`, `try-gpu`, `all-gpus`; empty: the first
  Selection selection;  // its `devices` is filled in per backend
  std::vector<Setting> settings;

  std::optional<unsigned> rounds;  // default: 5 for full and for builds compared, else 1
  bool compares_builds = false;    // a variant is another plugin file or another program
  double precision = 0.01;         // half-width of the median's interval, relative
  double case_budget = 0;          // seconds; 0: the preset's
  double run_budget = 0;           // seconds; 0: none
  double time_limit = 0;           // seconds until a worker counts as hung; 0: from the budget
  std::optional<std::uint64_t> seed;

  std::string out;      // a path, `-` for stdout; empty: named after machine and time
  std::string history;  // a file of `breakeven history` that keeps the rows too; empty: none
  bool keeps_samples = true;
  bool meters_energy = false;  // the preset full does, in time enough
  double start_within = 0;     // seconds; the run waits for a random part of them first
  bool resume = false;         // continue the report `out`
  bool resume_anyway = false;
  bool dry_run = false;
  bool in_process = false;
  std::vector<std::string> benchmark_flags;  // for in_process
};

}  // namespace breakeven
