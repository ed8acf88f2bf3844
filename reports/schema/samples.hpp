// SPDX-License-Identifier: Apache-2.0
// The two packed fields of a report: samples by visit, and pairs of key and value.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace breakeven {

// Nanoseconds per repetition, in the order they were taken: one vector per visit. Nine significant
// digits, separated by spaces, visits by `;`: `103.5 103.7;104`. `NA` where there are none.
using Visits = std::vector<std::vector<double>>;
std::string format_samples(std::span<const std::vector<double>> visits);
std::optional<Visits> parse_samples(std::string_view text);  // none: not of this form; `NA`: empty

// `key=value` separated by spaces. White space, control characters and `%` in a value are written
// as in URLs: `name=NVIDIA%20H200`. `NA` where there are none.
using Pairs = std::vector<std::pair<std::string, std::string>>;
std::string format_pairs(std::span<const std::pair<std::string, std::string>> pairs);
std::optional<Pairs> parse_pairs(std::string_view text);

}  // namespace breakeven
