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

// 16-bit types, where the space stores them in 16 bits.
using Half = Kokkos::Experimental::half_t;
using BrainHalf = Kokkos::Experimental::bhalf_t;
inline constexpr bool has_half = sizeof(Half) == 2 && sizeof(BrainHalf) == 2;

}  // namespace breakeven::kokkos
