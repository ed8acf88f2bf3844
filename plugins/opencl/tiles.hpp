// SPDX-License-Identifier: Apache-2.0
// The tile of the own product: what the user gave, else what was found by measuring and kept in
// the user's cache folder, else what is usual.
#pragma once

#include <breakeven/plugin.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/opencl/hardware.hpp"

namespace breakeven::opencl {

class OpenClDevice;

// Of c, an item computes `rows` by `vectors` of the device's vectors; a group has `group_rows` by
// `group_columns` items; k is cut into blocks of `depth`.
struct Tile {
  unsigned rows = 0, vectors = 0, group_rows = 0, group_columns = 0, depth = 0;
  bool operator==(const Tile&) const = default;
};

std::string text_of(const Tile& tile);  // `6x2x1x8x512`
// None: not a tile, or one that no device could work with.
std::optional<Tile> tile_in(std::string_view text);

// $XDG_CACHE_HOME/breakeven/opencl-tiles, a tile a line.
std::filesystem::path file_of_tiles();

// 16-bit types are computed as f32 and take its tile. Throws std::runtime_error for a file of tiles
// that has anything else in it.
std::optional<Tile> stored_tile(const Hardware& hardware, Type type);

// The one to take. Where the device is to be tuned and has no stored tile, it searches for some
// seconds and stores what it finds.
Tile tile_for(OpenClDevice& device, Type type);

}  // namespace breakeven::opencl
