// SPDX-License-Identifier: Apache-2.0
// Where the threads of this process may run, as the kernel sees it: what OMP_PROC_BIND came to.
#pragma once

#include <filesystem>
#include <string>

namespace breakeven {

// The lists of processors, with the number of threads that have the same: `0;1;2;3` for four bound
// threads, `0-3*5` for five free ones. `NA` where the kernel does not tell.
std::string observed_binding(const std::filesystem::path& root = "/");

}  // namespace breakeven
