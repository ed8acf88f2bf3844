// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace breakeven {

// `breakeven history`. Sets `status`: 0 nothing became slower; 1 a case did, or has no verified
// result any more; 2 usage, or nothing to read.
void add_history(CLI::App& program, int& status);

}  // namespace breakeven
