// SPDX-License-Identifier: Apache-2.0
// What this thread has asked operator new for, in the program and in the plugins it has loaded.
#pragma once

#include <cstddef>
#include <optional>

namespace breakeven::conformance {

// Bytes of the largest request since this was last called, 0 where there was none. None: not
// watched in this build, because a sanitizer owns the allocator.
std::optional<std::size_t> largest_allocation() noexcept;

}  // namespace breakeven::conformance
