// SPDX-License-Identifier: Apache-2.0
// Text of others inside a page: it can say anything and do nothing.
#pragma once

#include <string>
#include <string_view>

namespace breakeven {

// For element content and quoted attributes. Control characters are replaced as by `printable`.
std::string html(std::string_view text);

// JSON for a script element: `<`, `>` and `&` as \u escapes.
std::string json_for_script(std::string_view json);

}  // namespace breakeven
