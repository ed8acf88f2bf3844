// SPDX-License-Identifier: Apache-2.0
// What a plugin finds in the process and its calling thread, and leaves as it was.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace breakeven {

struct Surrounding {
  std::string value;
  std::string_view mend;  // what to do about a change
};

// By what it is called: `rounding`, `handler of SIGALRM`, `variable OMP_NUM_THREADS`. What has
// nothing to say is not in it.
using Surroundings = std::map<std::string, Surrounding>;

// What a row is measured under: how the calling thread computes, whom the threads go before, and
// the variables that a report records.
Surroundings computing_surroundings();

// Those, and all else. Signal handlers in the code of another file than the plugin's are a
// library's, and left out.
Surroundings all_surroundings(const std::filesystem::path& plugin);

// `rounding: to nearest before, upward now (put it back …)`, one after another; empty: nothing.
std::string changes(const Surroundings& before, const Surroundings& now);

}  // namespace breakeven
