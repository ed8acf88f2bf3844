// SPDX-License-Identifier: Apache-2.0
// Independent pieces of work, on as many threads as they are worth.
#pragma once

#include "space.hpp"

namespace breakeven::kokkos {

// Below this, opening a parallel region costs more than it brings (it takes 1 to 1.5 microseconds).
inline constexpr std::size_t one_thread_bytes = 32 * 1024;

// body(i) for i < count; `bytes` is the memory that all of it touches.
template <class Body>
void for_range(const Space& space, std::size_t count, std::size_t bytes, const Body& body) {
  if constexpr (on_host) {
    if (bytes <= one_thread_bytes) {
      Kokkos::parallel_for(Kokkos::RangePolicy<Kokkos::Serial, std::size_t>(0, count), body);
      return;
    }
  }
  using Policy = Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Static>, std::size_t>;
  Kokkos::parallel_for(Policy(space, 0, count), body);
}

}  // namespace breakeven::kokkos
