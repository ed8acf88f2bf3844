// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace breakeven {

// `breakeven compare`. Sets `status`: 0 no regression established; 1 regression; 2 usage or a file
// that cannot be read; 3 not comparable, missing or invalid; 4 inconclusive, with --strict.
void add_compare(CLI::App& program, int& status);

}  // namespace breakeven
