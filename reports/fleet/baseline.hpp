// SPDX-License-Identifier: Apache-2.0
// What is normal for a fleet, kept to judge a node by it later.
#pragma once

#include <string>
#include <vector>

#include "reports/fleet/judgement.hpp"

namespace breakeven::fleet {

// JSON, of the groups that were judged.
std::string baseline_text(const Fleet& fleet, const Judgement& judgement);

// Cases that the fleet has not are left out. Throws std::invalid_argument, one line with the path.
std::vector<Normal> read_baseline(const std::string& path, const Fleet& fleet);

}  // namespace breakeven::fleet
