// SPDX-License-Identifier: Apache-2.0
// The tiles of every height: nearly all that there is to compile. Declared here and made by sources
// of their own (parts.hpp), so that none takes long.
#pragma once

#include <algorithm>
#include <array>

#include "plugins/serial/kernels/fold_tile.hpp"
#include "plugins/serial/kernels/narrow_tile.hpp"

namespace breakeven::serial {

// `Target` as in gemm.hpp. Indexed by rows - 1.

inline constexpr int most_packed_vectors = 3;

// Rows of a tile whose vectors are filled. Those of 16 bytes and less, beside longer ones, are for
// few columns: more rows than hide the latency of a sum would only take time to compile.
template <class Target, int bytes>
constexpr std::size_t most_rows(int vectors) {
  const std::size_t most = std::size_t(Target::most_rows(vectors));
  return bytes < std::min(32, Target::bytes) ? std::min<std::size_t>(8, most) : most;
}

template <class Target, class T, int bytes, int vectors>
struct Tiles {
  static constexpr std::size_t heights = most_rows<Target, bytes>(vectors);
  static constexpr std::size_t packing_heights = vectors <= most_packed_vectors ? heights : 0;
  static const std::array<RunTile<T>, heights> direct;
  static const std::array<RunPackingTile<T>, packing_heights> packing;
};

template <class Target, class T, int bytes>
struct NarrowTiles {
  static const std::array<RunTile<T>, Target::most_rows(1)> all;
};

template <class Target, class T, int bytes, int columns>
struct FoldTiles {
  static const std::array<RunFoldTile<T>, Target::most_rows(1)> all;
};

}  // namespace breakeven::serial
