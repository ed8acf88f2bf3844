// SPDX-License-Identifier: Apache-2.0
// How a shape is cut into tiles. The limits were found by measuring on one core of a Zen 5 with 48
// KB, 1 MB and 32 MB of cache; they are about bytes in the second cache and bytes from row to row.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "plugins/serial/kernels/caches.hpp"
#include "plugins/serial/kernels/gemm.hpp"
#include "plugins/serial/kernels/row.hpp"
#include "plugins/serial/kernels/transposed_a.hpp"

namespace breakeven::serial {

constexpr std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

template <class T>
constexpr bool b_is_small(const GemmShape& shape) {
  const std::size_t row = shape.n * sizeof(T);
  return row <= 2560 && row * shape.k <= (std::size_t(1) << 20) * 8 / 5;
}

// The most last columns that share a vector between steps of k. A Zen 4 has tiles of half the
// length for more than 16 bytes of them.
template <class Target, class T, int bytes>
std::size_t most_folded(const Way& way) {
  constexpr std::size_t most = Gemm<Target, T, bytes>::most_folded;
  return computes_halves<Target>(way) ? std::min(most, 16 / sizeof(T)) : most;
}

// The decisions about one shape, in the order in which they are made: each goes by those before it.
template <class Target, class T, int bytes>
struct TilePlanner {
  using Product = Gemm<Target, T, bytes>;
  using Run = typename GemmPlan<T>::Run;
  static constexpr std::size_t lanes = bytes / sizeof(T), widest = Product::most_vectors;
  static constexpr std::size_t kilobyte = 1 << 10, megabyte = 1 << 20;
  // With AVX2; SVE was not measured.
  static constexpr bool short_vectors =
      bytes == 32 && Target::bytes == 32 && !Target::many_registers;
  // Its tiles ask in each step for what comes later.
  static constexpr bool asks_by_steps = bytes == 64 || short_vectors;

  const GemmShape shape;
  const Way way;
  GemmPlan<T> plan;

  const bool transpose_a = shape.transpose_a, transpose_b = shape.transpose_b;
  const std::size_t m = shape.m, n = shape.n, k = shape.k;
  const bool zen4 = computes_halves<Target>(way), intel = is_intel<Target>(way);
  const bool zen5 = computes_wholes<Target>(way) && !intel;
  const std::size_t row_bytes = n * sizeof(T);
  const std::size_t a_bytes = m * k * sizeof(T), b_bytes = k * row_bytes, c_bytes = m * row_bytes;
  const std::size_t rest = n % lanes;  // last columns, which fill no vector
  const bool small = b_is_small<T>(shape), stays_near = b_bytes <= 2 * megabyte;
  // Much of b comes from memory, or the second or third cache bring it in time to be read where it
  // lies.
  const bool far = cpu::is_far(b_bytes);
  const bool near =
      (zen4 && b_bytes <= 6 * megabyte) || (zen5 && !far) || (short_vectors && b_bytes <= megabyte);
  const bool from_memory = k >= 96 && b_bytes > 24 * megabyte;
  // Rows of b and c push each other out of the first cache.
  const bool pages_apart = row_bytes % 4096 == 0;
  // Rows that begin inside of lines are read by halves where they take half the time.
  const bool halves = bytes == 64 && zen4 && m == 1 && row_bytes % 64 != 0 && row_bytes > 384 &&
                      b_bytes > 16 * kilobyte;
  // All of one row by one tile: then b is read from end to end, which the second cache delivers
  // fastest.
  const bool one_tile = (computes_wholes<Target>(way) || short_vectors) && m == 1 && !transpose_b &&
                        n <= Product::most_in_a_row * lanes && b_bytes <= 960 * kilobyte;

  GemmPlan<T> made() {
    plan.shape = shape;
    plan.run = row_by_row();
    if (plan.run == nullptr) {
      plan.run = &Product::run;
      share_vectors();
      choose_where_b_is_read();
      choose_what_is_asked_for();
      choose_columns();
      choose_rows();
      choose_steps();
      choose_group();
      lay_out_workspace();
      choose_stacks();
      choose_what_is_ahead();
      list_calls();
      choose_strips();
    }
    return plan;
  }

  // By what rows of a few steps, or a long one, are made one after the other; null: by tiles.
  Run row_by_row() const {
    if constexpr (bytes == Target::bytes) {
      if constexpr (bytes >= 32) {
        const bool may_be = !transpose_b && n >= lanes && k > 0 && k <= cpu::most_steps_of_rows;
        if (may_be && cpu::are_made_row_by_row(m, n, k, sizeof(T), bytes, way.rules) != way.by_rows)
          return &run_rows<Target, T, bytes>;
      }
      if (m == 1 && !transpose_b && n > widest * lanes && !one_tile &&
          (b_bytes > 128 * kilobyte || halves))
        return long_row();
    }
    return nullptr;
  }

  Run long_row() const {
    const bool comes_from_memory = b_bytes > 32 * megabyte;
    // A Zen 4 loses parts of a longer c from its first cache, which take a tenth of the time.
    const bool parts = !comes_from_memory && row_bytes >= 6000 && (bytes == 32 || zen4);
    if constexpr (bytes == 64) {
      if (halves && !comes_from_memory)
        return parts ? &run_long_row<Target, T, 32, 4> : &run_row<Target, T, 32, 4>;
      if (zen5 && !comes_from_memory && row_bytes <= 24 * kilobyte)
        return &run_row<Target, T, bytes, 1>;
    }
    if constexpr (bytes >= 32)
      if (parts) return &run_long_row<Target, T, bytes, 4>;
    return comes_from_memory ? &run_row<Target, T, bytes, 8> : &run_row<Target, T, bytes, 4>;
  }

  // Last columns share vectors between steps of k (folded), or rows of a are vectors for them
  // (flipped), or all of c is shorter than a vector (narrow).
  void share_vectors() {
    // Folding has a cost of its own, most of all for three columns: a short sum does not make up
    // for it; one of two vectors of 64 bytes does, beside more than two vectors of columns.
    const std::size_t short_sum = bytes == 64 && n > 2 * lanes ? 128 / sizeof(T) : 32;
    const bool worth_folding = n < lanes || k >= (rest == 3 ? 64 : short_sum);
    // Few rows do not make up for it either, but for one column beside longer ones.
    const bool enough_rows = m >= 12 || (rest == 1 && (m * sizeof(T) >= 24 || k >= 128));
    const bool fold = rest != 0 && (!one_tile || n < lanes) &&
                      rest <= most_folded<Target, T, bytes>(way) && !transpose_a && worth_folding &&
                      (enough_rows || n < lanes);
    // A transposed a is worth its way through a buffer where there are steps enough.
    const bool flip = bytes == 64 && rest != 0 && rest <= Product::most_folded && transpose_a &&
                      !transpose_b && m >= lanes && k >= (sizeof(T) == 8 ? 48 : 32) &&
                      n >= (rest == 1 && sizeof(T) == 4 ? 33 : 64) && row_bytes <= 1100 &&
                      computes_wholes<Target>(way);
    plan.folded = fold ? rest : 0;
    plan.flipped = flip ? rest : 0;
    plan.narrow = rest != 0 && n < lanes && !fold;
  }

  // b is copied, or read where it lies, and few rows may ask for each of its rows some steps
  // before: it takes longer to copy b for them than it saves.
  void choose_where_b_is_read() {
    // On a Zen 5 all that is small is read where it lies, but rows that push each other out of the
    // second cache.
    const std::size_t unpacked_bytes = intel ? 700 * kilobyte
                                       : zen5 && row_bytes % 1024 == 0
                                           ? 900 * kilobyte
                                           : Caches<Target>::unpacked_bytes(way);
    const bool first_cache = b_bytes <= unpacked_bytes || n <= widest * lanes;
    plan.copies_a = copies_transposed_a<Target, T, bytes>(shape, way);
    const bool few = intel ? are_few_rows(first_cache) : are_few_rows_from_third_cache();
    const bool may_pack = m > 2 && n >= lanes;
    plan.reads_rows = few && asks_by_steps && !transpose_b && !plan.copies_a &&
                      n > widest * lanes && (intel || !(way.packs && may_pack));
    const bool too_many = m > most_rows_unpacked() && !(small && first_cache);
    plan.packed =
        transpose_b || plan.copies_a || (!plan.reads_rows && too_many != (way.packs && may_pack));
  }

  // More rows than these copy a b that the first caches do not hold.
  std::size_t most_rows_unpacked() const {
    if (zen4) return 8;  // of which it makes one panel
    const bool is_two_high_panels = m >= 17 && m <= 24 && k >= 64;
    if (zen5) return near && (!pages_apart || is_two_high_panels) ? 100 : 12;
    if (short_vectors) return small ? 32 : pages_apart && b_bytes > megabyte ? 6 : 12;
    return small || (pages_apart && far) ? 32 : far ? 16 : 12;
  }

  // Few enough for an Intel: so are more of them beside a small b whose rows begin inside of lines.
  // Where memory brings b more of them make up for a copy, and so they do for rows so long that c
  // is added to after few steps.
  bool are_few_rows(bool first_cache) const {
    if (small)
      return b_bytes > 128 * kilobyte && m >= 4 &&
             (m <= 64 || (first_cache && row_bytes % 64 != 0));
    const bool long_rows = !from_memory && (far || !pages_apart) && m >= 20 &&
                           b_bytes > 3 * megabyte / 2 && bytes_of_pass() <= c_bytes;
    return m > 1 && m <= (from_memory ? 36 : 48) && !long_rows;
  }

  // A Zen 4 reads a b of up to 6 MB in time without asking for it; what comes from memory is asked
  // for in whole rows. Rows that push each other out of the first cache cannot be asked for, and a
  // short strip ends before what was asked for is there.
  bool are_few_rows_from_third_cache() const {
    const bool come_in_time = k >= 64 && row_bytes % 2048 != 0 && !far;
    if (!come_in_time || !(zen4 || short_vectors)) return false;
    if (zen4) return m >= 6 && m <= 8 && !near;
    if (b_bytes <= megabyte / 2) return false;
    if (m <= 8) return m >= (sizeof(T) == 4 ? 2 : 3) && (m < 8 || b_bytes <= 6 * megabyte);
    return m <= 24 && b_bytes <= 10 * megabyte;
  }

  // Of a b that an Intel reads row by row, and where more than 8 rows ask for the next pass
  // meanwhile. The first pass is not asked for, so that it is a small part of b.
  std::size_t bytes_of_pass() const {
    if (m <= 8) return 256 * kilobyte;
    return std::clamp(b_bytes / 20, 256 * kilobyte, (m <= 16 ? 384 : 512) * kilobyte);
  }
  bool asks_for_pass() const {
    return intel && plan.reads_rows && !stays_near && (pages_apart || m > 8);
  }

  // A b that is not small, in its order.
  bool may_ask() const { return asks_by_steps && !transpose_b && !small; }
  // On a Zen 5 up to 12 rows read b where it lies, by tiles of all rows.
  bool is_one_panel() const {
    return may_ask() && zen5 && !plan.packed && (far || (pages_apart && m > 6));
  }

  void choose_what_is_asked_for() {
    // Rows that are pages apart would push each other out of the first cache.
    if (plan.reads_rows && !pages_apart) plan.steps_ahead = intel ? 8 : 16;
    plan.asks_for_tiles = plan.reads_rows && !intel;
    // An Intel that makes few steps leaves no time to foresee a row of c: the tile to the right is.
    // While short tiles run only what comes from memory is worth being asked for.
    plan.asks = k >= 40 || (bytes == 64 && c_bytes > 12 * megabyte) || asks_right();
    // Few rows of c leave memory idle while they are multiplied with what the second cache holds of
    // b: then what comes next is asked for, which finds room beside it. With AVX2 more rows gain,
    // too, by long sums, unless all of a would have to come from memory for each group.
    const bool long_sums = short_vectors && k >= 256;
    const bool comes_late = short_vectors ? b_bytes > (long_sums ? 3 : 8) * megabyte / 2
                            : zen4        ? !near
                                          : far || (intel && !pages_apart);
    const bool few = m <= 200, many = long_sums && (may_cut() || a_bytes <= 8 * megabyte);
    plan.asks_for_group =
        is_one_panel() || (may_ask() && plan.packed && comes_late && (few || many));
    // Short rows of a tile that come from memory are asked for from end to end.
    plan.asks_row_by_row = plan.packed && plan.asks_for_group && intel && m > 36 && from_memory;
  }
  // Whether rows of a can be multiplied a strip at a time (choose_strips).
  bool may_cut() const { return short_vectors && plan.packed && !transpose_a; }
  bool asks_right() const {
    const std::size_t least_c = sizeof(T) == 8 ? 12 : k <= 8 ? 1 : 3;  // megabytes
    return intel && plan.packed && k <= 12 && c_bytes >= least_c * megabyte;
  }

  // The vectors of each tile.
  void choose_columns() {
    // Tiles of their own for the last columns take time to begin and to end, and one vector of few
    // rows waits for its sums.
    const bool shared = plan.folded != 0 || plan.flipped != 0;
    if constexpr (Product::most_halved > 0)
      if (rest != 0 && rest <= Product::most_halved && !shared && small && !plan.packed &&
          n > lanes && m >= 6 && k >= 16 && zen4) {
        plan.halved = rest;
        plan.halved_panels = Shares::of(m, most_rows<Target, bytes / 2>(1));
      }
    plan.overlap = shared || plan.halved != 0 || rest == 0 || plan.narrow ? 0 : lanes - rest;
    const std::size_t own = n - plan.folded - plan.flipped - plan.halved;
    const std::size_t vectors = (own + lanes - 1) / lanes;
    plan.tiles = Shares::of(vectors, std::size_t(most_vectors(vectors)));
  }

  // In place of two panels of three: b is read once.
  bool is_one_panel_of_two_vectors() const {
    return short_vectors && !plan.packed && (m == 5 || m == 6) && b_bytes > 24 * kilobyte;
  }

  // By panels of five or six rows and tiles of two vectors, fewer panels read b; but 16 and 20 rows
  // are full panels of four, of tiles of three vectors.
  bool reads_rows_by_high_tiles() const {
    const bool full_of_four = sizeof(T) == 4 && m % 4 == 0 && m % 6 != 0;
    return short_vectors && plan.reads_rows && m > 8 && !full_of_four;
  }

  // Whether tiles have four vectors and three rows: where the first cache holds b and they are no
  // more tiles. Where one is as wide as c nothing but calls is left, which gains most.
  bool are_wide_tiles(std::size_t vectors) const {
    const auto tiles_of = [&](std::size_t most) {
      const Shares tiles = Shares::of(vectors, most);
      return tiles.parts * Shares::of(m, most_rows<Target, bytes>(int(tiles[0]))).parts;
    };
    return short_vectors && !plan.packed && b_bytes <= 24 * kilobyte && tiles_of(4) <= tiles_of(3);
  }

  int most_vectors(std::size_t vectors) const {
    if (is_one_panel()) return m <= most_rows<Target, bytes>(3) ? 3 : 2;
    if (is_one_panel_of_two_vectors() || reads_rows_by_high_tiles()) return 2;
    // Only wide tiles of so few have sums enough to hide the latency of each.
    if (short_vectors && !plan.packed && (m == 2 || m == 3)) return m == 2 ? 6 : 4;
    if (are_wide_tiles(vectors)) return 4;
    if (plan.reads_rows && !(small && m <= 12)) return 3;
    if (one_tile) return Product::most_in_a_row;
    // Tiles of four vectors would have four to six rows then, and read b from the second cache up
    // to twice as often.
    if ((zen5 || intel) && bytes == 64 && !plan.packed && small && m % 8 == 0 && m % 6 != 0 &&
        vectors > 4 && b_bytes > 32 * kilobyte)
      return 3;
    int most = plan.packed ? Product::most_packed_vectors : Product::most_vectors;
    // What comes from farther away than the second cache is best read once, by tiles of all rows,
    // or by high ones.
    const bool is_read_once = zen4 ? far : zen5 && near;
    if (is_read_once && !plan.packed && !small)
      while (most > 2 && m > most_rows<Target, bytes>(most)) --most;
    return most;
  }

  // The rows of each panel.
  void choose_rows() {
    const int vectors = std::max(1, int(plan.tiles[0]));
    std::size_t most =
        plan.narrow ? std::size_t(Target::most_rows(1)) : most_rows<Target, bytes>(vectors);
    if (!transpose_a && k * sizeof(T) % 4096 == 0) {
      const std::size_t most_apart = Caches<Target>::most_apart(bytes, way), low_tile = 8;
      if (Shares::of(m, most)[0] > most_apart) most = low_tile;
      if (plan.halved != 0 && plan.halved_panels[0] > most_apart)
        plan.halved_panels = Shares::of(m, low_tile);
    }
    bool low = false;  // tiles, where a tile takes little longer than to begin and to end it
    if constexpr (Product::most_halved > 0)
      low = zen4 && !plan.narrow && m > 1 &&
            (plan.packed ? k <= 40 && c_bytes > 2 * megabyte : k < 128);
    if (m > 1 && way.low) low = !low;
    if (low) most = std::min(most, plan.tiles[0] > 1 ? 5 : std::min<std::size_t>(12, (m + 1) / 2));
    plan.panels = Shares::of(m, most);
    // A few more, and all of them alike and more than half as high: then one call does them. But a
    // Zen 5 does not make up for low ones where b comes from farther away.
    const std::size_t most_more =
        plan.packed || ((zen5 || intel) && !small) || reads_rows_by_high_tiles() ? 0
        : bytes < 64                                                             ? 1
        : sizeof(T) == 4 && !low                                                 ? 2
                                                                                 : 5;
    for (std::size_t more = 1; plan.panels.larger != 0 && more <= most_more; ++more)
      if (const std::size_t parts = plan.panels.parts + more, rows = m / parts;
          m % parts == 0 && 2 * rows > plan.panels[0])
        plan.panels = Shares::of(m, rows);
  }

  std::size_t tile_row_bytes() const { return std::max<std::size_t>(1, plan.tiles[0]) * bytes; }
  // While this pass runs those of the next one are asked for: by a Zen 4 from memory, with AVX2
  // from the third cache, too, where there are rows enough.
  bool asks_for_rows() const {
    const bool comes_late =
        zen4 ? far : short_vectors && (far || (m >= 8 && b_bytes > 6 * megabyte));
    return comes_late && !plan.packed && !plan.reads_rows;
  }

  void choose_steps() { plan.k_block = k == 0 ? 0 : Shares::of(k, most_steps())[0]; }

  // What asks row by row has a group of so much of b.
  static constexpr std::size_t bytes_of_block = 512 * kilobyte;
  std::size_t most_steps() const {
    constexpr std::size_t asking_steps = 700;  // of a tile that asks for the next one: 131 KB of b
    if (is_one_panel()) return asking_steps;
    if (plan.asks_row_by_row) {
      // As many steps as there are tiles that ask for the row of another step; the first panel
      // copies b.
      const std::size_t panels = plan.panels.parts - 1;
      return std::size_t(std::sqrt(panels * bytes_of_block / tile_row_bytes()));
    }
    if (const std::size_t steps = plan.packed ? steps_of_transposed_a<Target, T>(shape, way) : 0)
      return steps;
    if (intel && plan.reads_rows && !stays_near)
      return std::max<std::size_t>((asks_for_pass() ? bytes_of_pass() : 512 * kilobyte) / row_bytes,
                                   8);
    if (short_vectors && plan.asks_for_group) return 1024;
    if (plan.packed || small || near || plan.reads_rows)
      return Caches<Target>::panel_bytes / sizeof(T);
    if (asks_for_rows())
      return std::clamp<std::size_t>(256 * kilobyte / row_bytes, 4, most_rows_of_b());
    return most_rows_of_b();
  }

  // Rows of b in its place that several panels of a are multiplied with stay in the second cache,
  // where those of equal place in 32 KB push each other out. With one panel they are read once, and
  // of more such rows than 16, or than 8 that come from memory, a first cache in 8 ways loses what
  // was brought nearer.
  std::size_t most_rows_of_b() const {
    if (plan.panels.parts > 1) return row_bytes % (32 * kilobyte) == 0 ? 8 : 32;
    return b_bytes > 32 * megabyte && row_bytes > 2 * kilobyte ? 8 : 16;
  }

  // An Intel foresees so many rows of c, and no others: those beyond its second cache are written
  // from end to end, so many at a time, as far as the b they need stays near. So does a Zen 4, one
  // panel at a time, where a and c are so large that it would read all of a for every tile of b.
  static constexpr std::size_t most_foreseen = 36;
  bool writes_rows() const {
    const bool is_tall =
        (intel && c_bytes >= 2 * megabyte) || (zen4 && a_bytes + c_bytes >= 8 * megabyte);
    return is_tall && !plan.packed && small && (k <= 64 || b_bytes > 128 * kilobyte);
  }

  // Tiles of b that are in the cache together, and lines of what comes next.
  void choose_group() {
    if (plan.packed) {
      // More columns where k is short, so that c is written in longer pieces.
      const bool a_is_large = a_bytes > 13 * megabyte;
      const std::size_t columns = (a_is_large || intel ? Caches<Target>::columns_for_large_a : 96) *
                                  (k == 0 ? 1 : most_steps() / plan.k_block);
      plan.group = std::max<std::size_t>(1, columns * sizeof(T) / tile_row_bytes());
    } else {
      plan.group = small && b_bytes > 128 * kilobyte ? 1 : plan.tiles.parts;
    }
    if (plan.asks_for_group || plan.reads_rows) plan.group = 1;
    if (writes_rows()) plan.group = plan.tiles.parts;
    if (plan.packed && plan.asks_for_group && (intel || short_vectors)) {
      const std::size_t steps = std::max<std::size_t>(1, plan.k_block);
      // A row has no more lines than there are steps.
      const std::size_t bytes_of_b =
          plan.asks_row_by_row ? std::min(bytes_of_block, 64 * steps * steps) : 192 * kilobyte;
      plan.group = std::max<std::size_t>(1, bytes_of_b / (steps * tile_row_bytes()));
    }
    // From end to end by all tiles together; or a vector after the other of the next group.
    if (asks_for_pass()) plan.line_step = (n - 1) / (plan.tiles.parts * plan.panels.parts) + 1;
    if (intel && plan.asks_for_group) plan.line_step = n;
    if (plan.asks_row_by_row)
      plan.line_step = (plan.group * tile_row_bytes() / sizeof(T) - 1) / plan.k_block + 1;
  }

  void lay_out_workspace() {
    if (plan.folded != 0)
      plan.packed_offset = round_up(plan.k_block * std::bit_ceil(plan.folded), 64);
    plan.workspace_elements = plan.packed_offset;
    if (plan.packed)
      plan.workspace_elements += plan.k_block * std::min(plan.group, plan.tiles.parts) *
                                 std::max<std::size_t>(1, plan.tiles[0]) * lanes;
    if (plan.copies_a) {
      plan.a_offset = round_up(plan.workspace_elements, 64);
      plan.workspace_elements = plan.a_offset + m * plan.k_block;
    }
  }

  // Panels that a tile of b is multiplied with one after the other: as many as stay in half of the
  // second cache for the next tile, or in a quarter beside the tiles that are packed. A large a is
  // better asked for, a panel ahead (where memory is busy that takes nine tenths of the time), but
  // by an Intel, whose second cache lacks the speed to deliver a tile of b more often.
  void choose_stacks() {
    const bool is_asked_for = plan.asks && !transpose_a;
    const bool stays = plan.k_block * plan.tiles[0] * bytes <= Caches<Target>::packed_tile_bytes &&
                       a_bytes <= (is_asked_for ? 2 : 4) * megabyte;
    const bool asks_per_panel =
        asks_right() || plan.asks_row_by_row || (short_vectors && plan.asks_for_group);
    const bool repeats = !plan.packed || (!plan.copies_a && !asks_per_panel && (intel || stays));
    const std::size_t high = std::max<std::size_t>(1, plan.panels[0]);
    std::size_t most = (plan.packed ? 128 : 256) * kilobyte /
                       std::max<std::size_t>(1, plan.k_block * sizeof(T) * high);
    if ((intel && plan.packed) || writes_rows())
      most = zen4 ? 1 : std::min(most, most_foreseen / high);
    // A tile of all rows of such a c would write to a page after the other.
    const bool by_rows =
        short_vectors ? cpu::is_written_by_rows(c_bytes, k)
                      : zen4 && bytes == 64 && !plan.packed && k <= 40 && c_bytes > 5 * megabyte;
    if (by_rows) most = std::min<std::size_t>(most, 2);
    if (repeats && most > 1) plan.most_panels = most;
  }

  // Lines that each call of a tile brings nearer: of the next product of a batch, which an Intel
  // does sooner by itself, or of the next rows of b.
  void choose_what_is_ahead() {
    const std::size_t lines = (a_bytes + b_bytes + c_bytes) / 64;
    const std::size_t calls = plan.panels.parts * plan.tiles.parts;
    if (small && lines > 256 && !intel && calls) plan.lines_ahead = lines / calls + 1;
    const std::size_t stacks =
        Shares::of(plan.panels.larger, plan.most_panels).parts +
        Shares::of(plan.panels.parts - plan.panels.larger, plan.most_panels).parts;
    if (asks_for_rows() && calls)
      plan.rows_ahead = plan.k_block * row_bytes / 64 / (stacks * plan.tiles.parts) + 1;
  }

  // What a pass reads of more rows of a than these the third cache would not bring again for each
  // group of b: they are multiplied with all of b a strip after the other.
  void choose_strips() {
    const std::size_t most = 4 * megabyte / std::max<std::size_t>(1, plan.k_block * sizeof(T));
    if (!plan.asks_for_group || !may_cut() || m < 2 * most) return;
    plan.strip = round_up(Shares::of(m, most)[0], plan.panels[0]);
    plan.run = &Product::run_strips;
  }

  // A c as wide as one tile is nothing but a list of calls.
  void list_calls() {
    const bool shared = plan.folded != 0 || plan.flipped != 0 || plan.halved != 0;
    if (plan.tiles.parts != 1 || plan.packed || shared || plan.k_block != k) return;
    const RunTile<T>* const kernels = Product::kernels_of(plan, plan.tiles.least);
    std::size_t call = 0;
    for (std::size_t panel = 0; panel < plan.panels.parts;) {
      const std::size_t rows = plan.panels[panel], alike = plan.panels.alike(panel);
      plan.calls[call++] = {kernels[rows - 1], alike, alike * rows};
      panel += alike;
    }
    plan.row_a = transpose_a ? 1 : k, plan.step_a = transpose_a ? m : 1;
    plan.last = (plan.tiles.least - 1) * lanes - plan.overlap;
    plan.run = &Product::run_calls;
  }
};

template <class Target, class T, int bytes>
GemmPlan<T> plan_with(const GemmShape& shape, const Way& way) {
  return TilePlanner<Target, T, bytes>{shape, way, {}}.made();
}

}  // namespace breakeven::serial
