// SPDX-License-Identifier: Apache-2.0
// The execution space this flavour is built for, and what the rest of the sources may know of it.
#pragma once

#include <Kokkos_Core.hpp>

namespace breakeven::kokkos {

using Space = Kokkos::DefaultExecutionSpace;
using SpaceMemory = Space::memory_space;

// Work runs inside the call that asks for it, on memory that the host may touch.
inline constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, SpaceMemory>::accessible;

}  // namespace breakeven::kokkos
