// SPDX-License-Identifier: Apache-2.0
// Cases as a plain Google Benchmark program, all backends in this process: for debuggers, and for
// people who want `--benchmark_*` and the JSON of `--benchmark_out`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "suite/model/key.hpp"
#include "suite/registry/setting.hpp"

namespace breakeven {

struct InProcessCase {
  Key key;
  std::filesystem::path plugin;
};

struct InProcessOptions {
  std::vector<InProcessCase> cases;
  std::map<std::string, std::string> environment;  // set before the first plugin is loaded
  std::vector<Setting> settings;
  std::vector<std::string> benchmark_flags;  // `--benchmark_repetitions=3`
  std::uint64_t seed = 0;
};

// The exit status: 0, 1 when a case failed, 2 for a flag that the library does not know. Every case
// is verified before it is timed and after every run; iterations are repetitions of the work.
// Nobody is stopped while another backend measures: ratios of these times are of no pairs.
int run_in_process(const InProcessOptions& options);

}  // namespace breakeven
