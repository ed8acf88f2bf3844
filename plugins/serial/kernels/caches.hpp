// SPDX-License-Identifier: Apache-2.0
// How processors differ: in how they compute vectors of 64 bytes, and in their caches.
#pragma once

#include <cstddef>

#include "plugins/cpu_common/way.hpp"
#include "plugins/serial/kernels/targets.hpp"

namespace breakeven::serial {

// Vectors of 64 bytes that are computed in two halves, as by a Zen 4, or at once, as by a Zen 5.
template <class Target>
bool computes_halves(const cpu::Way& way) {
  return Target::bytes == 64 && way.rules.zen4;
}
template <class Target>
bool computes_wholes(const cpu::Way& way) {
  return Target::bytes == 64 && !way.rules.zen4;
}

// Vectors of 64 bytes before a second cache of 2 MB, which brings less at a time, and a third one
// that is far away, as of an Emerald Rapids: what is read twice from there is better copied.
template <class Target>
bool is_intel(const cpu::Way& way) {
  return Target::bytes == 64 && way.rules.intel;
}

// What other caches than those change.
template <class Target>
struct Caches {
  // Up to here b is read where it lies, if its rows are short: on a Zen 4 not all that is small.
  static std::size_t unpacked_bytes(const cpu::Way& way) {
    return computes_halves<Target>(way) ? 700 << 10 : std::size_t(-1);
  }
  static constexpr std::size_t panel_bytes = 5504;  // of a column of a packed panel
  static constexpr std::size_t columns_for_large_a = 144;
  // Up to here a packed tile of b serves several panels of a before the next tile does.
  static constexpr std::size_t packed_tile_bytes = 0;
  // Of a tile: more rows of a that are whole pages apart push each other out of a first cache of 8
  // ways; 12 ways were measured to bear 13. Others were not measured.
  static std::size_t most_apart(int bytes, const cpu::Way& way) {
    return computes_halves<Target>(way) ? 8 : bytes == 64 ? 13 : std::size_t(-1);
  }
};

// 32 KB in 8 ways, where rows 1, 2 or 4 KB apart push each other out, and 512 KB. Measured on one
// core of a Zen 3.
template <>
struct Caches<Avx2> {
  static std::size_t unpacked_bytes(const cpu::Way&) { return 24000; }
  static constexpr std::size_t panel_bytes = 4096;
  static constexpr std::size_t columns_for_large_a = 96;
  static constexpr std::size_t packed_tile_bytes = 64 << 10;
  static std::size_t most_apart(int, const cpu::Way&) { return 8; }
};

}  // namespace breakeven::serial
