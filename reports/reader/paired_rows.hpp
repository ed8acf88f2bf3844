// SPDX-License-Identifier: Apache-2.0
// Rows that were measured side by side.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "reports/reader/report.hpp"
#include "reports/statistics/pairs.hpp"

namespace breakeven {

// The visits of one row, as what is paired needs them.
struct RowVisits {
  std::string line_up;  // with its run: rows pair where it is equal; empty: with nobody
  std::vector<double> medians;
  std::vector<std::size_t> sweeps, processes;
};

// Of a row that says what it was measured beside and still holds its visits; none else.
std::optional<RowVisits> visits_of(const RowView& row);

// The ratios other / base of each line-up that both have rows of, which is a round.
std::vector<PairedRatios> paired_ratios(const std::vector<RowVisits>& base,
                                        const std::vector<RowVisits>& other);
std::vector<PairedRatios> paired_ratios(const std::vector<RowView>& base,
                                        const std::vector<RowView>& other);

}  // namespace breakeven
