// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace breakeven {

// A text that a spreadsheet would take for a formula, since it begins with `=`, `+`, `-` or `@`,
// has that character written as in URLs: `%3D1+1`. So has one that begins with `%`, to be read
// back.
std::string without_formula(std::string_view text);

// What it was before; the text itself where nothing was escaped.
std::string with_formula(std::string_view text);

}  // namespace breakeven
