// SPDX-License-Identifier: Apache-2.0
// One node against what is normal.
#pragma once

#include <cstddef>

#include "reports/fleet/normal.hpp"

namespace breakeven::fleet {

// Fills in where the node is slow, and gives its median ratio to the others over all cases.
double judge_node(const Fleet& fleet, const Normal& normal, const Options& options,
                  std::size_t node, Bars& bars, Verdict& verdict);

}  // namespace breakeven::fleet
