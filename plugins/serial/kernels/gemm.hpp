// SPDX-License-Identifier: Apache-2.0
// Products of any shape, cut into tiles. a is read where it lies; b where it lies as long as it is
// small, else from a packed copy of the part that is in the second cache.
#pragma once

#include <algorithm>
#include <array>

#include "plugins/serial/kernels/fold_tile.hpp"
#include "plugins/serial/kernels/kernels.hpp"

namespace breakeven::serial {

// `Target` is a type of the source that instantiates this, so that nothing is shared between
// sources that are compiled for different processors:
//   bytes                 of a vector
//   most_vectors          of a tile
//   most_rows(vectors)    of a tile
template <class Target, class T, int bytes>
class Gemm {
 public:
  // The most columns that are cheaper folded than as a vector of their own.
  static constexpr std::size_t most_folded = bytes < Target::bytes       ? 0
      : sizeof(T) * 8 > bytes ? bytes / sizeof(T) / 2
                              : 4;
  static constexpr int most_vectors = bytes < Target::bytes ? 2 : Target::most_vectors;

 private:
  using V = Vector<T, bytes>;
  static constexpr std::size_t lanes = bytes / sizeof(T);
  static constexpr int most_rows = Target::most_rows(1);

  template <int vectors, bool transposed_a, int... row>
  static constexpr auto tiles_of(std::integer_sequence<int, row...>) {
    return std::array<RunTile<T>, sizeof...(row)>{
        (row < Target::most_rows(vectors)
             ? &Tile<Target, V, T, std::min(row + 1, Target::most_rows(vectors)), vectors,
                     transposed_a>::run
             : nullptr)...};
  }
  template <bool transposed_a, int... vector>
  static constexpr auto all_tiles(std::integer_sequence<int, vector...>) {
    return std::array{
        tiles_of<vector + 1, transposed_a>(std::make_integer_sequence<int, most_rows>())...};
  }
  template <int columns, int... row>
  static constexpr auto fold_tiles(std::integer_sequence<int, row...>) {
    return std::array{&FoldTile<Target, T, bytes, row + 1, columns>::run...};
  }
  // [transposed_a][vectors - 1][rows - 1]
  static constexpr std::array tile_table = {
      all_tiles<false>(std::make_integer_sequence<int, most_vectors>()),
      all_tiles<true>(std::make_integer_sequence<int, most_vectors>())};

 public:
  // c is one tile.
  static void run_tile(const GemmPlan<T>& plan, T alpha, const T* a, const T* b, T beta, T* c, T*) {
    const GemmShape& shape = plan.shape;
    const std::size_t last = (plan.tiles.least - 1) * lanes - plan.overlap;
    tile_table[shape.transpose_a][plan.tiles.least - 1][shape.m - 1](
        shape.k, a, shape.transpose_a ? shape.m : shape.k, b, shape.n, c, shape.n, alpha, beta, last,
        last, beta == 0 ? 0 : plan.overlap);
  }

  static void run(const GemmPlan<T>& plan, T alpha, const T* a, const T* b, T beta, T* c,
                  T* workspace) {
    const GemmShape& shape = plan.shape;
    if (plan.swapped) std::swap(a, b);
    const std::size_t stride_a = shape.transpose_a ? shape.m : shape.k;
    const std::size_t row_a = shape.transpose_a ? 1 : stride_a;
    const std::size_t step_a = shape.transpose_a ? stride_a : 1;
    std::size_t k0 = 0;
    do {
      const std::size_t k = std::min(plan.k_block, shape.k - k0);
      const Block block{plan,
                        k,
                        a + k0 * step_a,
                        stride_a,
                        row_a,
                        b + k0 * (shape.transpose_b ? 1 : shape.n),
                        alpha,
                        k0 == 0 ? beta : T(1),
                        c,
                        workspace};
      block.run();
      k0 += k;
    } while (k0 < shape.k);
  }

 private:
  // One pass over c, with a part of k.
  struct Block {
    const GemmPlan<T>& plan;
    std::size_t k;
    const T* a;
    std::size_t stride_a, row_a;
    const T* b;
    T alpha, beta;
    T* c;
    T* workspace;

    void run() const {
      const std::size_t tiles = plan.tiles.parts;
      T* const folded_b = workspace;
      T* const packed_b = workspace + (plan.k_block * fold_columns() + 63) / 64 * 64;
      if (plan.folded) {
        pack(folded_b, fold_columns(), plan.shape.n - plan.folded, plan.folded);
        if (plan.folded == 3)
          for (std::size_t p = 0; p < k; ++p) folded_b[p * 4 + 3] = 0;
      }
      std::size_t tile = 0, column = 0;
      do {
        const std::size_t end = std::min(tile + plan.group, tiles);
        if (plan.packed) pack_tiles(packed_b, tile, end, column);
        const bool fold = plan.folded && end == tiles;
        std::size_t row = 0;
        for (std::size_t panel = 0; panel < plan.panels.parts; ++panel) {
          const std::size_t rows = plan.panels[panel];
          run_tiles(row, rows, tile, end, column, packed_b);
          if constexpr (most_folded > 0)
            if (fold) run_folded(row, rows, folded_b);
          row += rows;
        }
        for (; tile < end; ++tile) column += plan.tiles[tile] * lanes;
      } while (tile < tiles);
    }

    std::size_t fold_columns() const {
      return plan.folded == 0 ? 0 : plan.folded == 1 ? 1 : plan.folded == 2 ? 2 : 4;
    }

    [[gnu::always_inline]] void run_tiles(std::size_t row, std::size_t rows, std::size_t tile,
                                          std::size_t end, std::size_t column,
                                          const T* packed_b) const {
      const std::size_t n = plan.shape.n;
      const auto& kernels = tile_table[plan.shape.transpose_a];
      const T* const panel_a = a + row * row_a;
      T* panel_c = c + row * n + column;
      const T* tile_b = plan.packed ? packed_b : b + column;
      for (; tile < end; ++tile) {
        const std::size_t vectors = plan.tiles[tile], columns = vectors * lanes;
        const std::size_t overlap = tile + 1 == plan.tiles.parts ? plan.overlap : 0;
        const std::size_t last = columns - lanes;
        kernels[vectors - 1][rows - 1](k, panel_a, stride_a, tile_b, plan.packed ? columns : n,
                                       panel_c, n, alpha, beta, plan.packed ? last : last - overlap,
                                       last - overlap, beta == 0 ? 0 : overlap);
        panel_c += columns;
        tile_b += plan.packed ? columns * k : columns;
      }
    }

    void run_folded(std::size_t row, std::size_t rows, const T* folded_b) const {
      constexpr auto every_height = std::make_integer_sequence<int, most_rows>();
      // [log2 columns][rows - 1]
      static constexpr std::array table = {
          fold_tiles<1>(every_height), fold_tiles<std::min<int>(2, most_folded)>(every_height),
          fold_tiles<std::min<int>(4, most_folded)>(every_height)};
      const auto& kernels = table[plan.folded > 2 ? 2 : plan.folded - 1];
      const std::size_t n = plan.shape.n;
      kernels[rows - 1](k, a + row * row_a, stride_a, folded_b, c + row * n + n - plan.folded, n,
                        alpha, beta, plan.folded);
    }

    void pack_tiles(T* to, std::size_t tile, std::size_t end, std::size_t column) const {
      for (; tile < end; ++tile) {
        const std::size_t columns = plan.tiles[tile] * lanes;
        const std::size_t overlap = tile + 1 == plan.tiles.parts ? plan.overlap : 0;
        if (overlap == 0)
          pack(to, columns, column, columns);
        else {
          pack(to, columns, column, columns - lanes);
          pack(to + columns - lanes, columns, column + columns - lanes - overlap, lanes);
        }
        to += columns * k;
        column += columns;
      }
    }

    // Copies `count` columns of op(b) from `column` on to a k × `columns` matrix.
    void pack(T* to, std::size_t columns, std::size_t column, std::size_t count) const {
      if (plan.shape.transpose_b) {
        const T* from = b + column * plan.shape.k;
        for (std::size_t j = 0; j < count; ++j)
          for (std::size_t p = 0; p < k; ++p) to[p * columns + j] = from[j * plan.shape.k + p];
      } else {
        const T* from = b + column;
        for (std::size_t p = 0; p < k; ++p, to += columns, from += plan.shape.n)
          for (std::size_t j = 0; j < count; ++j) to[j] = from[j];
      }
    }
  };
};

}  // namespace breakeven::serial
