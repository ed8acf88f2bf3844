// SPDX-License-Identifier: Apache-2.0
#include "suite/conformance/allocation_count.hpp"

namespace breakeven::conformance {

std::optional<std::size_t> allocations_of_this_thread() noexcept {
  return std::nullopt;
}

}  // namespace breakeven::conformance
