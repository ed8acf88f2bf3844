// SPDX-License-Identifier: Apache-2.0
// Who is faster at one size, from the rows that a report has of it.
#pragma once

#include <cstddef>
#include <vector>

#include "reports/break_even/decision.hpp"
#include "reports/break_even/finding.hpp"
#include "reports/reader/report.hpp"

namespace breakeven {

// Rows of ordinary runs, one per round and side: what separate processes saw at separate times.
Probe verdict_of_rounds(std::size_t size, const std::vector<RowView>& from,
                        const std::vector<RowView>& to);

// Rows of `find`, one per visit and side: block i of one side was measured beside block i of the
// other. One entry for each visit.
std::vector<LogRatios> visits_of(const std::vector<RowView>& from, const std::vector<RowView>& to);

// Of such rows. All visits must name the same winner. `dependent` is that of all sizes of the
// search, as in decide.
Probe verdict_of_pairs(std::size_t size, const std::vector<RowView>& from,
                       const std::vector<RowView>& to, std::size_t dependent);

}  // namespace breakeven
