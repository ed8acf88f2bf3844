// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace breakeven {

// `breakeven compare`. Sets `status`: 0 no regression established; 1 regression; 2 usage or a file
// that cannot be read; 3 not comparable, missing or invalid; 4 inconclusive, with --strict.
void add_compare(CLI::App& program, int& status);

// `compare REPORT --group-by variant --base VARIANT` on standard output, of a run that has just
// ended.
int compare_variants(const std::string& report, std::string_view variant);

}  // namespace breakeven
