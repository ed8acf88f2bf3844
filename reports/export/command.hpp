// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace breakeven {

// `breakeven export`: a report in the formats of other tools. Sets `status`: 0, or 2 for usage and
// what cannot be read or written.
void add_export(CLI::App& program, int& status);

}  // namespace breakeven
