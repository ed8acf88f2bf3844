// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace breakeven::cpu {

// As memmove. What is larger than the last cache is stored around it where the processor can: that
// saves reading the lines that are overwritten, a third of what memory has to move.
void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;

}  // namespace breakeven::cpu
