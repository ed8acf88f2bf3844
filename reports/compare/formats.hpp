// SPDX-License-Identifier: Apache-2.0
// A comparison as text: for a terminal, as Markdown, CSV or JSON.
#pragma once

#include <string>

#include "reports/compare/comparison.hpp"

namespace breakeven::comparison {

struct Style {
  bool markdown = false, in_colour = false;
};

std::string as_text(const Grouped& grouped, const Comparison& comparison,
                    const ComparisonOptions& options, Style style);
std::string as_csv(const Grouped& grouped, const Comparison& comparison);
std::string as_json(const Grouped& grouped, const Comparison& comparison, int exit_status);

}  // namespace breakeven::comparison
