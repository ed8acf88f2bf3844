// SPDX-License-Identifier: Apache-2.0
// A history as text: for a terminal, as CSV, JSON or a page.
#pragma once

#include <string>

#include "reports/history/changes.hpp"
#include "reports/text/lines.hpp"

namespace breakeven::history {

// `from 2026-03-05T02:00:00Z on`, with the run or what else `over` tells apart.
std::string start_of(const History& history, const Change& change);
// `alpha: 120 runs from 2026-01-01 to 2026-04-30, 24 cases`.
std::string summary(const History& history);
// `×1.031 [1.027, 1.036], 2.1 ms before, 2.2 ms after`
std::string size_of(const Change& change);
std::string told(const History& history, const Loss& loss);
// How many series were judged, and what of them would not be seen.
std::string limits(const Findings& findings, const Options& options);

std::string as_text(const History& history, const Findings& findings, const Options& options,
                    const Lines& lines, bool in_colour);
std::string as_csv(const History& history, const Findings& findings);  // a row for each point
std::string as_json(const History& history, const Findings& findings);
std::string as_page(const History& history, const Findings& findings, const Options& options);

}  // namespace breakeven::history
