// SPDX-License-Identifier: Apache-2.0
// How a shape is cut into tiles. The limits were found by measuring on one core of a Zen 5 with 48
// KB, 1 MB and 32 MB of cache; they are about bytes in the second cache and bytes from row to row.
#pragma once

#include "plugins/serial/kernels/gemm.hpp"
#include "plugins/serial/kernels/row.hpp"
#include "plugins/serial/kernels/targets.hpp"

#include <bit>
#include <cmath>

namespace breakeven::serial {

// Vectors of 64 bytes that are computed in two halves, as by a Zen 4, or at once, as by a Zen 5.
template <class Target>
bool computes_halves(const Way& way) {
  return Target::bytes == 64 && way.rules.zen4;
}
template <class Target>
bool computes_wholes(const Way& way) {
  return Target::bytes == 64 && !way.rules.zen4;
}

// Vectors of 64 bytes before a second cache of 2 MB, which brings less at a time, and a third one
// that is far away, as of an Emerald Rapids: what is read twice from there is better copied.
template <class Target>
bool is_intel(const Way& way) {
  return Target::bytes == 64 && way.rules.intel;
}

// What other caches than those change.
template <class Target>
struct Caches {
  // Up to here b is read where it lies, if its rows are short: on a Zen 4 not all that is small.
  static std::size_t unpacked_bytes(const Way& way) {
    return computes_halves<Target>(way) ? 700 << 10 : std::size_t(-1);
  }
  static constexpr std::size_t panel_bytes = 5504;  // of a column of a packed panel
  static constexpr std::size_t columns_for_large_a = 144;
  // Up to here a packed tile of b serves several panels of a before the next tile does.
  static constexpr std::size_t packed_tile_bytes = 0;
  // Of a tile: more rows of a that are whole pages apart push each other out of a first cache of 8
  // ways; 12 ways were measured to bear 13. Others were not measured.
  static std::size_t most_apart(int bytes, const Way& way) {
    return computes_halves<Target>(way) ? 8 : bytes == 64 ? 13 : std::size_t(-1);
  }
};

// 32 KB in 8 ways, where rows 1, 2 or 4 KB apart push each other out, and 512 KB. Measured on one
// core of a Zen 3.
template <>
struct Caches<Avx2> {
  static std::size_t unpacked_bytes(const Way&) { return 24000; }
  static constexpr std::size_t panel_bytes = 4096;
  static constexpr std::size_t columns_for_large_a = 96;
  static constexpr std::size_t packed_tile_bytes = 64 << 10;
  static std::size_t most_apart(int, const Way&) { return 8; }
};

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

// How many steps at a time an Intel multiplies of a transposed a that it reads where it lies: as
// many as the second cache holds beside b. 0 where it holds all of a, where too few steps fill it,
// and where adding to c so often takes longer than copying a.
template <class Target, class T>
std::size_t steps_of_transposed_a(const GemmShape& shape, const Way& way) {
  const std::size_t step_bytes = shape.m * sizeof(T);
  const std::size_t c_bytes = step_bytes * shape.n;
  // Few steps pass over c often, which a small c bears.
  const std::size_t most_bytes = c_bytes <= (768 << 10) ? 4096 : 3072;
  const bool fits = step_bytes * shape.k < (768 << 10);
  // Steps that push each other out of the first cache do not make up for many passes.
  const bool collides = step_bytes % 2048 == 0 && shape.k > 1024;
  if (!shape.transpose_a || !is_intel<Target>(way) || fits || collides || step_bytes > most_bytes)
    return 0;
  const std::size_t steps = std::min<std::size_t>((512 << 10) / step_bytes, 400);
  return shape.n <= 6 * steps ? steps : 0;
}

// Steps of a transposed a that are a multiple of 1 KB apart push each other out of the first cache,
// and those of a large one are not foreseen: then it is copied, if columns and steps enough make up
// for it. Measured on a Zen 5, with its AVX2 kernels too, and on an Emerald Rapids.
template <class Target, class T, int bytes>
bool copies_transposed_a(const GemmShape& shape, const Way& way) {
  const auto& [transpose_a, transpose_b, m, n, k] = shape;
  constexpr std::size_t megabyte = 1 << 20;
  const std::size_t step_bytes = m * sizeof(T), a_bytes = step_bytes * k;
  if (!transpose_a) return false;
  if (steps_of_transposed_a<Target, T>(shape, way) != 0) return false;
  if (is_intel<Target>(way) && a_bytes >= megabyte && n >= 64 && k >= 64) return true;
  if (step_bytes % 1024 != 0)
    return bytes == 64 ? m > 12 && a_bytes > (n >= 800 ? 6 : 12) * megabyte && n >= 256 && k >= 512
                       : a_bytes > 6 * megabyte && n >= 256 && k >= 256;
  if (bytes < 64)
    return step_bytes >= 4096 && a_bytes >= 2 * megabyte && n >= 64 && k >= 64 && n * k >= 25000;
  if (step_bytes % 4096 == 0 && n >= 1000) return k >= 16;
  const std::size_t least = sizeof(T) == 4 ? megabyte * 3 / 4 : 2 * megabyte;
  const std::size_t least_beside_few_columns = (sizeof(T) == 4 ? 4 : 16) * megabyte;
  return k >= 640 && a_bytes >= (n >= 256 ? least : least_beside_few_columns) && n >= 96;
}

template <class Target, class T, int bytes>
GemmPlan<T> plan_with(const GemmShape& shape, const Way& way) {
  using Product = Gemm<Target, T, bytes>;
  constexpr std::size_t lanes = bytes / sizeof(T), widest = Product::most_vectors;
  const auto& [transpose_a, transpose_b, m, n, k] = shape;
  GemmPlan<T> plan;
  plan.shape = shape;
  plan.run = &Product::run;

  if constexpr (bytes == 64 && bytes == Target::bytes) {
    const bool may_be = !transpose_b && n >= lanes && k > 0 && k <= cpu::most_steps_of_rows;
    if (may_be && cpu::are_made_row_by_row(m, n, k, sizeof(T), way.rules) != way.by_rows) {
      plan.run = &run_rows<Target, T, bytes>;
      return plan;
    }
  }

  // Rows that begin inside of lines are read by halves where they take half the time.
  const bool halves = bytes == 64 && m == 1 && n * sizeof(T) % 64 != 0 && n * sizeof(T) > 384 &&
                      n * k * sizeof(T) > (16 << 10) && computes_halves<Target>(way);
  // All of one row by one tile: then b is read from end to end, which the second cache delivers
  // fastest.
  const bool one_tile = m == 1 && !transpose_b && n <= Product::most_in_a_row * lanes &&
                        n * k * sizeof(T) <= (std::size_t(960) << 10) &&
                        computes_wholes<Target>(way);
  if (bytes == Target::bytes && m == 1 && !transpose_b && n > widest * lanes && !one_tile &&
      (n * k * sizeof(T) > (std::size_t(128) << 10) || halves)) {
    const bool far = n * k * sizeof(T) > (std::size_t(32) << 20);
    // A Zen 4 loses parts of a longer c from its first cache, which take a tenth of the time.
    const bool parts =
        !far && n * sizeof(T) >= 6000 && (bytes == 32 || computes_halves<Target>(way));
    if constexpr (bytes == 64)
      if (halves && !far) {
        plan.run = parts ? &run_long_row<Target, T, 32, 4> : &run_row<Target, T, 32, 4>;
        return plan;
      }
    if constexpr (bytes >= 32)
      if (parts) {
        plan.run = &run_long_row<Target, T, bytes, 4>;
        return plan;
      }
    plan.run = far ? &run_row<Target, T, bytes, 8> : &run_row<Target, T, bytes, 4>;
    if constexpr (bytes == 64)
      if (!far && n * sizeof(T) <= (24 << 10) && computes_wholes<Target>(way) &&
          !is_intel<Target>(way))
        plan.run = &run_row<Target, T, bytes, 1>;
    return plan;
  }

  const std::size_t rest = n % lanes;
  // Folding has a cost of its own, most of all for three columns: a short sum does not make up for
  // it; one of two vectors of 64 bytes does, beside more than two vectors of columns.
  const std::size_t short_sum = bytes == 64 && n > 2 * lanes ? 128 / sizeof(T) : 32;
  const bool worth_folding = n < lanes || k >= (rest == 3 ? 64 : short_sum);
  // Few rows do not make up for it either, but for one column beside longer ones.
  const bool enough_rows = m >= 12 || (rest == 1 && (m * sizeof(T) >= 24 || k >= 128));
  const bool fold = rest != 0 && rest <= most_folded<Target, T, bytes>(way) && !transpose_a &&
                    worth_folding && (enough_rows || n < lanes);
  plan.folded = fold ? rest : 0;
  plan.narrow = rest != 0 && n < lanes && !fold;
  // Rows of a transposed a are vectors for the last columns, which is worth their way through a
  // buffer where there are steps enough.
  const bool flip = bytes == 64 && rest != 0 && rest <= Product::most_folded && transpose_a &&
                    !transpose_b && m >= lanes && k >= (sizeof(T) == 8 ? 48 : 32) &&
                    n >= (rest == 1 && sizeof(T) == 4 ? 33 : 64) && n * sizeof(T) <= 1100 &&
                    computes_wholes<Target>(way);
  plan.flipped = flip ? rest : 0;

  const bool zen4 = computes_halves<Target>(way), intel = is_intel<Target>(way);
  const bool zen5 = computes_wholes<Target>(way) && !intel;
  const bool small = b_is_small<T>(shape);
  // On a Zen 5 all that is small is read where it lies, but rows that push each other out of the
  // second cache.
  const std::size_t unpacked_bytes = intel ? 700 << 10
                                     : zen5 && n * sizeof(T) % 1024 == 0
                                         ? 900 << 10
                                         : Caches<Target>::unpacked_bytes(way);
  const bool first_cache = n * k * sizeof(T) <= unpacked_bytes || n <= widest * lanes;
  // Whether the third cache brings b in time to be read where it lies, whether much of it comes
  // from memory, and whether rows of c push each other out of the first cache.
  const std::size_t row_bytes = n * sizeof(T), b_bytes = row_bytes * k;
  const bool far = b_bytes > (std::size_t(12) << 20), pages_apart = row_bytes % 4096 == 0;
  const bool near = (zen4 && b_bytes <= (std::size_t(6) << 20)) || (zen5 && !far);
  const bool is_two_high_panels = m >= 17 && m <= 24 && k >= 64;
  std::size_t most_unpacked = 12;  // rows; of 8 a Zen 4 makes one panel
  if (zen4)
    most_unpacked = small ? 32 : near ? 16 : 8;
  else if (zen5)
    most_unpacked = near && (!pages_apart || is_two_high_panels) ? 100 : 12;
  else if (small || (pages_apart && far))
    most_unpacked = 32;
  else if (far)
    most_unpacked = 16;
  const std::size_t a_bytes = m * k * sizeof(T);
  plan.copies_a = copies_transposed_a<Target, T, bytes>(shape, way);
  // Of a b that is read where it lies, and where more than 8 rows ask for the next pass meanwhile.
  // The first pass is not asked for, so that it is a small part of b.
  const std::size_t bytes_of_pass =
      m <= 8 ? 256 << 10
             : std::clamp<std::size_t>(b_bytes / 20, 256 << 10, (m <= 16 ? 384 : 512) << 10);
  // An Intel takes longer to copy b for few rows than it saves, if it asks for what it reads where
  // it lies; so it is for more rows of a small b that begin inside of lines. But where memory
  // brings b more of them make up for it, and so they do for rows so long that c is added to after
  // few steps.
  const bool from_memory = b_bytes > (std::size_t(24) << 20) && k >= 96;
  const bool long_rows = !from_memory && (far || !pages_apart) && m >= 20 &&
                         b_bytes > (std::size_t(3) << 19) && bytes_of_pass <= m * row_bytes;
  const bool few_rows =
      small ? b_bytes > (128 << 10) && m >= 4 && (m <= 64 || (first_cache && row_bytes % 64 != 0))
            : m > 1 && m <= (from_memory ? 36 : 48) && !long_rows;
  plan.reads_rows =
      intel && bytes == 64 && !transpose_b && !plan.copies_a && few_rows && n > widest * lanes;
  // Rows that are pages apart would push each other out of the first cache.
  if (plan.reads_rows && !pages_apart) plan.steps_ahead = 8;
  const bool stays_near = b_bytes <= (std::size_t(2) << 20);
  const bool asks_for_pass = plan.reads_rows && !stays_near && (pages_apart || m > 8);
  const bool may_pack = m > 2 && n >= lanes;
  plan.packed = transpose_b || plan.copies_a ||
                (!plan.reads_rows &&
                 (m > most_unpacked && !(small && first_cache)) != (way.packs && may_pack));
  // While short tiles run only what comes from memory is worth being asked for.
  plan.asks = k >= 40 || (bytes == 64 && m * n * sizeof(T) > (std::size_t(12) << 20));
  // Few rows of c leave memory idle while they are multiplied with what the second cache holds of
  // b: then what comes next is asked for, which finds room beside it. On a Zen 5 up to 12 of them
  // read b where it lies, by tiles of all rows.
  const bool may_ask = bytes == 64 && !transpose_b && !small;
  const bool one_panel = may_ask && zen5 && !plan.packed && (far || (pages_apart && m > 6));
  plan.asks_for_group = one_panel || (may_ask && plan.packed && m <= 200 &&
                                      (zen4 ? !near : far || (intel && !pages_apart)));
  plan.asks_row_by_row = intel && plan.asks_for_group && from_memory && m > 36;
  // Tiles of their own for the last columns take time to begin and to end, and one vector of few
  // rows waits for its sums.
  bool halve = false;
  if constexpr (Product::most_halved > 0)
    halve = rest != 0 && rest <= Product::most_halved && !fold && !flip && small && !plan.packed &&
            n > lanes && m >= 6 && k >= 16 && zen4;
  if (halve) {
    plan.halved = rest;
    plan.halved_panels = Shares::of(m, most_rows<Target, bytes / 2>(1));
  }
  plan.overlap = fold || flip || halve || rest == 0 || plan.narrow ? 0 : lanes - rest;
  const std::size_t vectors = (n - plan.folded - plan.flipped - plan.halved + lanes - 1) / lanes;

  int most_vectors = plan.packed ? Product::most_packed_vectors : Product::most_vectors;
  // What comes from farther away than the second cache is best read once, by tiles of all rows, or
  // by high ones.
  if (bytes == 64 && !plan.packed && !small && (zen4 || near)) {
    const int least = zen4 ? 1 : 2;
    if (!zen4 || m <= (pages_apart ? 8 : most_rows<Target, bytes>(1)))
      while (most_vectors > least && m > most_rows<Target, bytes>(most_vectors)) --most_vectors;
  }
  // Tiles of four vectors would have four to six rows then, and read b from the second cache up to
  // twice as often.
  if ((zen5 || intel) && bytes == 64 && !plan.packed && small && m % 8 == 0 && m % 6 != 0 &&
      vectors > 4 && b_bytes > (32 << 10))
    most_vectors = 3;
  if (one_tile) most_vectors = Product::most_in_a_row;
  if (plan.reads_rows && !(small && m <= 12)) most_vectors = 3;
  if (one_panel) most_vectors = m <= most_rows<Target, bytes>(3) ? 3 : 2;
  plan.tiles = Shares::of(vectors, std::size_t(most_vectors));
  std::size_t most = plan.narrow ? std::size_t(Target::most_rows(1))
                                 : most_rows<Target, bytes>(std::max<int>(1, int(plan.tiles[0])));
  if (!transpose_a && k * sizeof(T) % 4096 == 0) {
    const std::size_t most_apart = Caches<Target>::most_apart(bytes, way), low_tile = 8;
    if (Shares::of(m, most)[0] > most_apart) most = low_tile;
    if (halve && plan.halved_panels[0] > most_apart) plan.halved_panels = Shares::of(m, low_tile);
  }
  bool low = false;  // tiles, where a tile takes little longer than to begin and to end it
  if constexpr (Product::most_halved > 0)
    low = !plan.packed && !plan.narrow && m > 1 && k < 128 && zen4;
  if (m > 1 && way.low) low = !low;
  if (low) most = std::min(most, plan.tiles[0] > 1 ? 5 : std::min<std::size_t>(12, (m + 1) / 2));
  plan.panels = Shares::of(m, most);
  // A few more, and all of them alike and more than half as high: then one call does them. But a
  // Zen 5 does not make up for low ones where b comes from farther away.
  const std::size_t most_more = plan.packed || ((zen5 || intel) && !small) ? 0
                                : bytes < 64                               ? 1
                                : sizeof(T) == 4 && !low                   ? 2
                                                                           : 5;
  for (std::size_t more = 1; plan.panels.larger != 0 && more <= most_more; ++more)
    if (const std::size_t parts = plan.panels.parts + more, rows = m / parts;
        m % parts == 0 && 2 * rows > plan.panels[0])
      plan.panels = Shares::of(m, rows);

  const bool a_is_large = a_bytes > (std::size_t(13) << 20);
  // Rows of b in its place that several panels of a are multiplied with stay in the second cache,
  // where those of equal place in 32 KB push each other out.
  const bool rows_collide = row_bytes % (32 << 10) == 0 && plan.panels.parts > 1;
  // With one panel they are read once, and of more such rows than 16, or than 8 that come from
  // memory, a first cache in 8 ways loses what was brought nearer.
  const std::size_t most_rows_of_b = rows_collide                        ? 8
                                     : plan.panels.parts > 1             ? 32
                                     : b_bytes > (std::size_t(32) << 20) ? 8
                                                                         : 16;
  // A Zen 4 asks memory for the rows of the next pass while this one runs.
  const bool asks_for_rows = zen4 && !plan.packed && far;
  // Of a tile that asks for the next one: two times 131 KB of b.
  constexpr std::size_t asking_steps = 700;
  // As many steps as there are tiles that ask for the row of another step.
  constexpr std::size_t bytes_of_block = 512 << 10;
  const std::size_t tile_row_bytes = std::max<std::size_t>(1, plan.tiles[0]) * bytes;
  const auto asking_rows = [&] {
    const std::size_t panels = plan.panels.parts - 1;  // the first one copies b
    return std::size_t(std::sqrt(panels * bytes_of_block / tile_row_bytes));
  };
  const std::size_t steps_of_a = plan.packed ? steps_of_transposed_a<Target, T>(shape, way) : 0;
  const std::size_t most_steps =
      one_panel              ? asking_steps
      : plan.asks_row_by_row ? asking_rows()
      : steps_of_a != 0      ? steps_of_a
      : plan.reads_rows && !stays_near
          ? std::max<std::size_t>(
                (asks_for_pass ? bytes_of_pass : std::size_t(512) << 10) / row_bytes, 8)
      : plan.packed || small || near || plan.reads_rows ? Caches<Target>::panel_bytes / sizeof(T)
      : asks_for_rows ? std::clamp<std::size_t>((256 << 10) / row_bytes, 4, most_rows_of_b)
                      : most_rows_of_b;
  plan.k_block = k == 0 ? 0 : Shares::of(k, most_steps)[0];
  // More of them where k is short, so that c is written in longer pieces.
  const std::size_t columns = (a_is_large || intel ? Caches<Target>::columns_for_large_a : 96) *
                              (k == 0 ? 1 : most_steps / plan.k_block);
  plan.group = plan.packed ? std::max<std::size_t>(1, columns * sizeof(T) / tile_row_bytes)
                           : (small && b_bytes > (128 << 10) ? 1 : plan.tiles.parts);
  if (plan.asks_for_group || plan.reads_rows) plan.group = 1;
  // An Intel foresees so many rows of c, and no others: those beyond its second cache are written
  // from end to end, so many at a time, as far as the b they need stays near. So does a Zen 4, one
  // panel at a time, where a and c are so large that it would read all of a for every tile of b.
  constexpr std::size_t most_foreseen = 36, bytes_of_group = 192 << 10;
  const std::size_t c_bytes = m * row_bytes;
  const bool is_tall = (intel && c_bytes >= (std::size_t(2) << 20)) ||
                       (zen4 && a_bytes + c_bytes >= (std::size_t(8) << 20));
  const bool writes_rows = is_tall && !plan.packed && small && (k <= 64 || b_bytes > (128 << 10));
  if (writes_rows) plan.group = plan.tiles.parts;
  if (intel && plan.packed && plan.asks_for_group) {
    const std::size_t steps = std::max<std::size_t>(1, plan.k_block);
    // A row has no more lines than there are steps.
    const std::size_t bytes_of_b =
        plan.asks_row_by_row ? std::min(bytes_of_block, 64 * steps * steps) : bytes_of_group;
    plan.group = std::max<std::size_t>(1, bytes_of_b / (steps * tile_row_bytes));
  }
  // From end to end by all tiles together; or a vector after the other of the next group.
  if (asks_for_pass) plan.line_step = (n - 1) / (plan.tiles.parts * plan.panels.parts) + 1;
  if (intel && plan.asks_for_group) plan.line_step = n;
  if (plan.asks_row_by_row)
    plan.line_step = (plan.group * tile_row_bytes / sizeof(T) - 1) / plan.k_block + 1;
  if (fold) plan.packed_offset = round_up(plan.k_block * std::bit_ceil(rest), 64);
  plan.workspace_elements = plan.packed_offset;
  if (plan.packed)
    plan.workspace_elements += plan.k_block * std::min(plan.group, plan.tiles.parts) *
                               std::max<std::size_t>(1, plan.tiles[0]) * lanes;

  if (plan.copies_a) {
    plan.a_offset = round_up(plan.workspace_elements, 64);
    plan.workspace_elements = plan.a_offset + m * plan.k_block;
  }

  const std::size_t lines = ((m + n) * k + m * n) * sizeof(T) / 64;
  const std::size_t calls = plan.panels.parts * plan.tiles.parts;
  // An Intel brings them sooner by itself.
  const bool asks_ahead = small && lines > 256 && !intel;
  if (asks_ahead && calls) plan.lines_ahead = lines / calls + 1;
  // As many as stay in half of the second cache for the next tile of b, or in a quarter beside the
  // tiles that are packed. A large a is better asked for, a panel ahead, but by an Intel, whose
  // second cache lacks the speed to deliver a tile of b more often.
  const bool stays = plan.k_block * plan.tiles[0] * bytes <= Caches<Target>::packed_tile_bytes &&
                     m * k * sizeof(T) <= (std::size_t(4) << 20);
  // So few steps leave no time to foresee a row of c: the tile to the right is asked for.
  const std::size_t least_c = sizeof(T) == 8 ? 12 : k <= 8 ? 1 : 3;  // megabytes
  const bool asks_right = intel && plan.packed && k <= 12 && c_bytes >= least_c << 20;
  plan.asks |= asks_right;
  const bool asks_per_panel = asks_right || plan.asks_row_by_row;
  const bool repeats = !plan.packed || (!plan.copies_a && !asks_per_panel && (intel || stays));
  const std::size_t high = std::max<std::size_t>(1, plan.panels[0]);
  std::size_t panels = (std::size_t(plan.packed ? 128 : 256) << 10) /
                       std::max<std::size_t>(1, plan.k_block * sizeof(T) * high);
  if ((intel && plan.packed) || writes_rows)
    panels = zen4 ? 1 : std::min(panels, most_foreseen / high);
  if (repeats && panels > 1) plan.most_panels = panels;

  const std::size_t stacks =
      Shares::of(plan.panels.larger, plan.most_panels).parts +
      Shares::of(plan.panels.parts - plan.panels.larger, plan.most_panels).parts;
  if (asks_for_rows && calls)
    plan.rows_ahead = plan.k_block * row_bytes / 64 / (stacks * plan.tiles.parts) + 1;

  if (plan.tiles.parts == 1 && !plan.packed && !fold && !flip && !halve && plan.k_block == k) {
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
  return plan;
}

}  // namespace breakeven::serial
