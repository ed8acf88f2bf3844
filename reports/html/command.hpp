// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace breakeven {

// `breakeven report`: answers on the terminal, a page with -o, drawings with --svg. Sets `status`:
// 0, or 2 for usage, a file that cannot be read or a result that cannot be written.
void add_report(CLI::App& program, int& status);

}  // namespace breakeven
