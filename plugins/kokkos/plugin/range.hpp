// SPDX-License-Identifier: Apache-2.0
// Independent pieces of work, on as many threads as they are worth.
#pragma once

#include "space.hpp"

namespace breakeven::kokkos {

// Opening a parallel region takes 1 to 1.5 microseconds: up to here, more than it brings.
inline constexpr std::size_t one_thread_bytes = 32 * 1024;

// On the host; 0: all of them.
constexpr std::size_t threads_for(std::size_t bytes) {
  return bytes <= one_thread_bytes ? 1 : 0;
}

// body(i) for i < count; `bytes` is the memory that all of it touches.
template <class Body>
void for_range(const Space& space, std::size_t count, std::size_t bytes, const Body& body) {
  if constexpr (on_host) {
    if (threads_for(bytes) == 1) {
      for (std::size_t i = 0; i < count; ++i) body(i);
      return;
    }
  }
  using Policy = Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Static>, std::size_t>;
  Kokkos::parallel_for(Policy(space, 0, count), body);
}

}  // namespace breakeven::kokkos
