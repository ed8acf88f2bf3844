// SPDX-License-Identifier: Apache-2.0
// How often this thread has called operator new, in the program and in the plugins it has loaded.
#pragma once

#include <cstddef>
#include <optional>

namespace breakeven::conformance {

// None: not counted in this build, because a sanitizer owns the allocator.
std::optional<std::size_t> allocations_of_this_thread() noexcept;

}  // namespace breakeven::conformance
