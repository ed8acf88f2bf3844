// SPDX-License-Identifier: Apache-2.0
// Which cases a run consists of.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "suite/cases/case.hpp"
#include "suite/registry/registry.hpp"
#include "suite/run/options.hpp"

namespace breakeven {

struct PlannedCase {
  const Case* definition = nullptr;
  const Plugin* plugin = nullptr;  // may be one that is not usable: the row says why
  Key key;
  std::string name;              // full, as filters see it
  std::string device_requested;  // as the user wrote it; empty: nothing
};

struct Plan {
  std::vector<PlannedCase> cases;
  std::vector<std::string>
      notes;  // for the user: what `try-gpu` came to, which backends are left out
};

// Throws UsageError with one line.
Plan make_plan(const RunOptions& options, const Registry& registry);

}  // namespace breakeven
