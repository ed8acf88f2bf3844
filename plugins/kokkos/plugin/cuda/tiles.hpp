// SPDX-License-Identifier: Apache-2.0
// Tile sizes for NVIDIA GPUs: 128 registers for a thread, at most 48 KiB of scratch for a team.
#pragma once

#include "team_gemm.hpp"

namespace breakeven::kokkos {

// f32: 128×128 blocks of 8×8 tiles by 256 threads, two such teams on a processor. f64: 128×64 of
// 8×4, because sums take two registers each.
template <class T, class Sum>
using LargeTiles = TeamTraits<T, Sum, 8, sizeof(Sum) == 4 ? 8 : 4, 8, 4, 2, 4, 8, 2>;

// A fourth of that, for products that would leave processors idle.
template <class T, class Sum>
using SmallTiles =
    TeamTraits<T, Sum, sizeof(Sum) == 4 ? 8 : 4, sizeof(Sum) == 4 ? 8 : 4, 8, 4, 1, 2, 8, 8>;

}  // namespace breakeven::kokkos
