// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace breakeven {

// `breakeven fleet`. Sets `status`: 0 no node is established to be slow or wrong; 1 one is; 2
// usage, or nothing to read.
void add_fleet(CLI::App& program, int& status);

}  // namespace breakeven
