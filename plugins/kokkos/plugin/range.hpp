// SPDX-License-Identifier: Apache-2.0
// Independent pieces of work, on as many threads as they are worth.
#pragma once

#include "space.hpp"

namespace breakeven::kokkos {

// body(i) for i < count; `bytes` is the memory that all of it touches.
template <class Body>
void for_range(const Space& space, std::size_t count, std::size_t bytes, const Body& body) {
  if constexpr (on_host) {
    // Opening a parallel region takes 1 to 1.5 microseconds: here, more than it brings.
    constexpr std::size_t one_thread_bytes = 32 * 1024;
    if (bytes <= one_thread_bytes) {
      for (std::size_t i = 0; i < count; ++i) body(i);
      return;
    }
  }
  using Policy = Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Static>, std::size_t>;
  Kokkos::parallel_for(Policy(space, 0, count), body);
}

}  // namespace breakeven::kokkos
