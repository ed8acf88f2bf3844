// SPDX-License-Identifier: Apache-2.0
#include "suite/conformance/allocation_count.hpp"

namespace breakeven::conformance {

std::optional<std::size_t> largest_allocation() noexcept {
  return std::nullopt;
}

}  // namespace breakeven::conformance
