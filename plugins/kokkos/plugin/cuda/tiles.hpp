// SPDX-License-Identifier: Apache-2.0
// Tile sizes for NVIDIA GPUs, for at most 168 registers a thread and 48 KiB of scratch a team.
#pragma once

#include "team_gemm.hpp"

namespace breakeven::kokkos {

// f32: 128×128 blocks of 8×8 tiles by 256 threads, two such teams on a processor. f64: 128×64 of
// 8×4, because sums take two registers each.
template <class T, class Sum>
using LargeTiles =
    TeamTraits<T, Sum, 8, sizeof(Sum) == 4 ? 8 : 4, 8, 4, 2, 4, 8, sizeof(Sum) == 4 ? 2 : 1>;

// Half of that, for products that make too few large blocks, or a few too many for another wave.
template <class T, class Sum>
using MediumTiles = TeamTraits<T, Sum, 8, sizeof(Sum) == 4 ? 8 : 4, 8, 4, sizeof(Sum) == 4 ? 2 : 1,
                               sizeof(Sum) == 4 ? 2 : 4, 8, 3>;

// A fourth of it and less, in slices twice as deep where registers allow.
template <class T, class Sum>
using SmallTiles = TeamTraits<T, Sum, sizeof(Sum) == 4 ? 8 : 4, sizeof(Sum) == 4 ? 8 : 4, 8, 4, 1,
                              2, sizeof(Sum) == 4 ? 16 : 8, sizeof(Sum) == 4 ? 4 : 8>;

template <class Tiles>
std::size_t blocks_of(std::size_t rows, std::size_t columns, std::size_t batch) {
  return (rows + Tiles::block_m - 1) / Tiles::block_m *
         ((columns + Tiles::block_n - 1) / Tiles::block_n) * batch;
}

// What a product of `rows` by `columns` costs on so many processors: the elements of c that the
// busiest one computes, and somewhat more for smaller blocks, which read more for each.
template <class Tiles>
double cost_of(std::size_t rows, std::size_t columns, std::size_t batch, std::size_t processors) {
  const std::size_t blocks = blocks_of<Tiles>(rows, columns, batch);
  const double more_reads = 1 + 2. / (Tiles::block_m + Tiles::block_n);
  return static_cast<double>((blocks + processors - 1) / processors) * Tiles::block_m *
         Tiles::block_n * more_reads;
}

enum class Blocks { large, medium, small };

// The cheapest.
template <class T, class Sum>
Blocks blocks_for(std::size_t rows, std::size_t columns, std::size_t batch,
                  std::size_t processors) {
  const double large = cost_of<LargeTiles<T, Sum>>(rows, columns, batch, processors);
  const double medium = cost_of<MediumTiles<T, Sum>>(rows, columns, batch, processors);
  const double small = cost_of<SmallTiles<T, Sum>>(rows, columns, batch, processors);
  if (large <= medium && large <= small) return Blocks::large;
  return medium <= small ? Blocks::medium : Blocks::small;
}

}  // namespace breakeven::kokkos
