// SPDX-License-Identifier: Apache-2.0
// Which cases a run consists of.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "suite/engine/contender.hpp"
#include "suite/registry/registry.hpp"
#include "suite/run/options.hpp"

namespace breakeven {

struct Plan {
  std::vector<PlannedCase> cases;
  std::vector<std::string>
      notes;  // for the user: what `try-gpu` came to, what is left out, what backends advise
};

// Throws UsageError with one line.
Plan make_plan(const RunOptions& options, const Registry& registry);

}  // namespace breakeven
