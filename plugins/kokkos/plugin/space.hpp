// SPDX-License-Identifier: Apache-2.0
// The execution space this flavour is built for, and what the rest of the sources may know of it.
#pragma once

#include <Kokkos_Core.hpp>

#if !defined(KOKKOS_ENABLE_CUDA)
#include "plugins/cpu_common/halves.hpp"
#include "plugins/cpu_common/way.hpp"
#endif

namespace breakeven::kokkos {

using Space = Kokkos::DefaultExecutionSpace;
using SpaceMemory = Space::memory_space;

// Work runs inside the call that asks for it, on memory that the host may touch.
inline constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, SpaceMemory>::accessible;

// Half and BrainHalf are stored in 16 bits and computed with in f32. Way says how a product is made
// on a CPU, and nothing on a GPU.
#if defined(KOKKOS_ENABLE_CUDA)
using Half = Kokkos::Experimental::half_t;
using BrainHalf = Kokkos::Experimental::bhalf_t;
static_assert(sizeof(Half) == 2 && sizeof(BrainHalf) == 2);
struct Way {};
#else
using Half = cpu::F16;
using BrainHalf = cpu::Bf16;
using cpu::Way;
#endif

}  // namespace breakeven::kokkos
