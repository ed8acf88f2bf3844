// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace breakeven {

// Calls of operator new by this thread so far.
std::size_t allocations();

}  // namespace breakeven
