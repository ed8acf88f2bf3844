// SPDX-License-Identifier: Apache-2.0
// Names of nodes as schedulers write and sort them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace breakeven::fleet {

// n9 before n10.
bool comes_before(std::string_view a, std::string_view b);

// `n[1-3,17],login`: what Slurm and ClusterShell take. A range is over the last number of a name,
// names with as many digits where they begin with 0.
std::string folded(std::span<const std::string> names);

}  // namespace breakeven::fleet
