// SPDX-License-Identifier: Apache-2.0
// What users write on the command line, as values. Every function throws UsageError with one line
// that says what is wrong and what is allowed.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/text/usage.hpp"
#include "suite/model/case.hpp"

namespace breakeven {

// `a,b,c`; empty parts are an error.
std::vector<std::string> split_list(std::string_view option, std::string_view text);

// `64`, `64,100`, `64:4096` (doubling), `64:4096:*4`, `64:256:+64`, `1x4096x4096` (m×n×k),
// `100x100x100x1000` (m×n×k, batch). Sizes are
// 1 to 2^40, at most 1000 of them, in the order written, each once.
std::vector<Shape> parse_sizes(std::string_view text);

// `f32,tf32`
std::vector<NumberType> parse_types(std::string_view text);

// `512`, `64K`, `4M`, `1G` (powers of 1024).
std::size_t parse_bytes(std::string_view text);

// `1.5`, `400ms`, `90s`, `5min`, `2h`
double parse_seconds(std::string_view option, std::string_view text);

// `KEY=VALUE`
std::pair<std::string, std::string> parse_assignment(std::string_view option,
                                                     std::string_view text);

}  // namespace breakeven
