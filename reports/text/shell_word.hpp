// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace breakeven {

// The text as one word of a POSIX shell: as it is where it can be, else in single quotes.
std::string shell_word(std::string_view text);

}  // namespace breakeven
