// SPDX-License-Identifier: Apache-2.0
// What a source needs that makes tables, by instantiating them: kernels.cmake writes these sources.
#pragma once

#include <utility>

#include "plugins/serial/kernels/tables.hpp"

namespace breakeven::serial {

// `kernel.operator()<rows>()` of every height.
template <class Run, std::size_t heights>
constexpr std::array<Run, heights> every_height(auto kernel) {
  return [&]<int... row>(std::integer_sequence<int, row...>) {
    return std::array<Run, heights>{kernel.template operator()<row + 1>()...};
  }
  (std::make_integer_sequence<int, int(heights)>());
}

template <class Target, class T, int bytes, int vectors>
constinit const std::array<RunTile<T>, Tiles<Target, T, bytes, vectors>::heights>
    Tiles<Target, T, bytes, vectors>::direct = every_height<RunTile<T>, heights>([]<int rows>() {
      return &Tile<Target, Vector<T, bytes>, T, rows, vectors>::run;
    });

template <class Target, class T, int bytes, int vectors>
constinit const std::array<RunPackingTile<T>, Tiles<Target, T, bytes, vectors>::packing_heights>
    Tiles<Target, T, bytes, vectors>::packing = every_height<RunPackingTile<T>, packing_heights>(
        []<int rows>() { return &Tile<Target, Vector<T, bytes>, T, rows, vectors>::run_packing; });

template <class Target, class T, int bytes>
constinit const std::array<RunTile<T>, Target::most_rows(1)> NarrowTiles<Target, T, bytes>::all =
    every_height<RunTile<T>, Target::most_rows(1)>([]<int rows>() {
      return &NarrowTile<Target, Vector<T, bytes>, T, rows>::run;
    });

template <class Target, class T, int bytes, int columns>
constinit const std::array<RunFoldTile<T>, Target::most_rows(1)>
    FoldTiles<Target, T, bytes, columns>::all = every_height<RunFoldTile<T>, Target::most_rows(1)>(
        []<int rows>() { return &FoldTile<Target, T, bytes, rows, columns>::run; });

}  // namespace breakeven::serial
