// SPDX-License-Identifier: Apache-2.0
// A comparison as text: for a terminal, as Markdown, CSV or JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "reports/answers/overview.hpp"
#include "reports/compare/comparison.hpp"

namespace breakeven::comparison {

struct Style {
  bool markdown = false, in_colour = false;
  std::optional<std::size_t> width = {};  // none: lines as long as they are
};

// Break-even points are told where there are several machines.
std::string as_text(const Grouped& grouped, const Comparison& comparison,
                    const ComparisonOptions& options, Style style, const Crossings& crossings = {});
std::string as_csv(const Grouped& grouped, const Comparison& comparison);
std::string as_json(const Grouped& grouped, const Comparison& comparison, int exit_status,
                    const Crossings& crossings = {});

}  // namespace breakeven::comparison
