// SPDX-License-Identifier: Apache-2.0
// The variables of this process that change how fast libraries compute: a run under another of them
// is another run.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace breakeven {

// Threads and where they are put, kernels that a library chooses, devices that are visible, what is
// loaded in front: `OMP_NUM_THREADS=2`. Sorted by name.
std::vector<std::pair<std::string, std::string>> inherited_environment();

}  // namespace breakeven
