// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "suite/command_line/run_table.hpp"

namespace breakeven {

// A line for every variant of a backend that measured what the backend itself did, or else the
// first of its variants: `blas@skx:0 takes 0.51 times as long as blas:0 (0.49 to 0.53, 6 cases)`,
// their geometric mean; or that no difference is established. Empty where there is none.
std::string variant_factors(std::span<const TableRow> rows);

}  // namespace breakeven
