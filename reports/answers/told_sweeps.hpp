// SPDX-License-Identifier: Apache-2.0
// The break-even points of products that are told first: square, f32, data already in place.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/answers/entries.hpp"
#include "reports/break_even/stored_sweep.hpp"

namespace breakeven {

// One for each machine and pair of sides, crossings first.
std::vector<StoredSweep> told_sweeps(const Report& report);

// Square f32 products of the size nearest to 1000 that most devices have, the fastest first.
std::vector<const Entry*> told_products(const Entries& entries);

// First where one of the fastest of these pays off: against the best that other hardware does, for
// who would take anything less? On the same hardware the earliest.
void sort_by_interest(std::vector<StoredSweep>& sweeps, const std::vector<const Entry*>& products);

// Whose ratio is told: the largest size at which a side is established to be faster, of those with
// paired times where there are any. Null: there is none.
const Probe* told_probe(const StoredSweep& sweep);

// Those at the ends of the bracket, or of all sizes where there is none.
std::vector<std::size_t> telling_rows(const StoredSweep& sweep);

// The device that is faster above the last change of the faster one, and that below the first;
// there is one.
const std::string& faster_above(const StoredSweep& sweep);
const std::string& faster_below(const StoredSweep& sweep);

// `kokkos-openmp beats serial from n = 64 on`
std::string pays_off(const StoredSweep& sweep);

}  // namespace breakeven
