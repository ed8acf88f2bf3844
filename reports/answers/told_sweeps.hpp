// SPDX-License-Identifier: Apache-2.0
// The break-even points of products that are told first: square, f32, data already in place.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/break_even/stored_sweep.hpp"

namespace breakeven {

// One for each machine and pair of sides, crossings first.
std::vector<StoredSweep> told_sweeps(const Report& report);

// Whose ratio is told: the largest size at which a side is established to be faster, of those with
// paired times where there are any. Null: there is none.
const Probe* told_probe(const StoredSweep& sweep);

// Those at the ends of the bracket, or of all sizes where there is none.
std::vector<std::size_t> telling_rows(const StoredSweep& sweep);

// `kokkos-openmp beats serial from n = 64 on`
std::string pays_off(const StoredSweep& sweep);

}  // namespace breakeven
