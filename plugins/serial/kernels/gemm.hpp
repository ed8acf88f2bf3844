// SPDX-License-Identifier: Apache-2.0
// Products of any shape, cut into tiles. a is read where it lies, but where it is transposed and
// large, or its steps push each other out of the first cache; b where it lies as long as it is
// small, else from a packed copy of the part that is in the second cache.
#pragma once

#include <algorithm>
#include <array>

#include "plugins/cpu_common/copy_steps.hpp"
#include "plugins/cpu_common/turn_block.hpp"
#include "plugins/serial/kernels/kernels.hpp"
#include "plugins/serial/kernels/tables.hpp"

namespace breakeven::serial {

// What the next product of a batch reads, brought nearer a few cache lines at a time while this one
// runs.
template <class T>
struct Ahead {
  struct Range {
    const T* at = nullptr;
    std::size_t left = 0;
  };

  std::size_t lines = 0;  // at a time
  std::array<Range, 3> ranges = {};

  [[gnu::always_inline]] void some() {
    constexpr std::size_t line = 64 / sizeof(T);
    std::size_t to_do = lines;
    for (Range& range : ranges)
      for (; to_do && range.left; --to_do) {
        __builtin_prefetch(range.at, 0, 2);
        range.at += line;
        range.left -= std::min(range.left, line);
      }
  }
};

// `Target` is a type of targets.hpp, so that nothing is shared between sources that are compiled
// for different processors:
//   bytes                 of a vector
//   most_vectors          of a tile
//   most_in_a_row         of a tile of one row
//   most_rows(vectors)    of a tile
template <class Target, class T, int bytes>
class Gemm {
 public:
  // The most columns that are cheaper folded than as a vector of their own.
  static constexpr std::size_t most_folded = bytes < Target::bytes ? 0 : bytes / 2 / sizeof(T);
  // The most columns that have tiles of half the length, which take half as long. Less than that is
  // folded by vectors of 32 bytes.
  static constexpr std::size_t most_halved =
      bytes < Target::bytes || bytes < 64 ? 0 : bytes / 2 / sizeof(T);
  static constexpr int most_vectors = bytes < Target::bytes ? 2 : Target::most_vectors;
  // Of a tile of one row.
  static constexpr int most_in_a_row = bytes < Target::bytes ? most_vectors : Target::most_in_a_row;
  static constexpr int most_packed_vectors = std::min(serial::most_packed_vectors, most_vectors);

 private:
  using V = Vector<T, bytes>;
  static constexpr std::size_t lanes = bytes / sizeof(T);

  // [vectors - 1], then [rows - 1]
  static constexpr auto tile_tables = []<int... vector>(std::integer_sequence<int, vector...>) {
    return std::array{Tiles<Target, T, bytes, vector + 1>::direct.data()...};
  }
  (std::make_integer_sequence<int, most_in_a_row>());
  static constexpr auto packing_tables = []<int... vector>(std::integer_sequence<int, vector...>) {
    return std::array{Tiles<Target, T, bytes, vector + 1>::packing.data()...};
  }
  (std::make_integer_sequence<int, most_packed_vectors>());

 public:
  static void run(const GemmPlan<T>& plan, std::size_t batch, T alpha, const T* a, const T* b,
                  T beta, T* c, T* workspace) {
    const auto& [transpose_a, transpose_b, m, n, k] = plan.shape;
    if (plan.swapped) std::swap(a, b);
    for (std::size_t i = 0; i < batch; ++i, a += m * k, b += k * n, c += m * n) {
      Ahead<T> ahead;
      if (plan.lines_ahead && i + 1 < batch)
        ahead = {plan.lines_ahead, {{{b + k * n, k * n}, {a + m * k, m * k}, {c + m * n, m * n}}}};
      Block{plan, alpha, beta, c, workspace, ahead}.run(a, b);
    }
  }

  // A strip of rows of a after the other, each times all of b.
  static void run_strips(const GemmPlan<T>& plan, std::size_t batch, T alpha, const T* a,
                         const T* b, T beta, T* c, T* workspace) {
    const auto& [transpose_a, transpose_b, m, n, k] = plan.shape;
    if (plan.swapped) std::swap(a, b);
    for (GemmPlan<T> strip = plan; batch > 0; --batch, b += k * n)
      for (std::size_t row = 0; row < m; row += plan.strip) {
        const std::size_t rows = strip.shape.m = std::min(plan.strip, m - row);
        strip.panels = Shares::of(rows, plan.panels[0]);
        Block{strip, alpha, beta, c, workspace, {}}.run(a, b);
        a += rows * k, c += rows * n;
      }
  }

  // c is as wide as one tile. Nothing but the calls, and no loop over them: of a few nanoseconds
  // the processor foresees the branches of the tiles worse with every other one.
  static void run_calls(const GemmPlan<T>& plan, std::size_t batch, T alpha, const T* a, const T* b,
                        T beta, T* c, T* workspace) {
    if (batch != 1) return run_batch_of_calls(plan, batch, alpha, a, b, beta, c, workspace);
    if (plan.swapped) std::swap(a, b);
    const std::size_t n = plan.shape.n, k = plan.shape.k;
    const auto call = [&](const auto& of) __attribute__((always_inline)) {
      of.tile(of.panels, k, a, plan.row_a, plan.step_a, b, n, c, n, alpha, beta, plan.last,
              plan.last, plan.overlap, nullptr);
    };
    const auto& [first, second] = plan.calls;
    if (first.panels == 0) return;
    call(first);
    if (second.panels == 0) return;
    a += first.rows * plan.row_a, c += first.rows * n;
    call(second);
  }

  // [rows - 1]
  static const RunTile<T>* kernels_of(const GemmPlan<T>& plan, std::size_t vectors) {
    return plan.narrow ? NarrowTiles<Target, T, bytes>::all.data() : tile_tables[vectors - 1];
  }

 private:
  [[gnu::noinline]] static void run_batch_of_calls(const GemmPlan<T>& plan, std::size_t batch,
                                                   T alpha, const T* a, const T* b, T beta, T* c,
                                                   T* workspace) {
    if (plan.lines_ahead) return run(plan, batch, alpha, a, b, beta, c, workspace);
    const auto& [transpose_a, transpose_b, m, n, k] = plan.shape;
    const std::size_t of_a = plan.swapped ? k * n : m * k, of_b = plan.swapped ? m * k : k * n;
    for (; batch > 0; --batch, a += of_a, b += of_b, c += m * n)
      run_calls(plan, 1, alpha, a, b, beta, c, workspace);
  }

  // One product.
  struct Block {
    const GemmPlan<T>& plan;
    T alpha, beta;
    T* c;
    T* workspace;
    Ahead<T> ahead;
    std::size_t k = 0;          // steps of this pass over c
    const T* next_b = nullptr;  // what the next pass reads of b; beyond its end it does no harm

    void run(const T* a, const T* b) {
      const auto& [transpose_a, transpose_b, m, n, all_k] = plan.shape;
      std::size_t done = 0;
      do {
        k = std::min(plan.k_block, all_k - done);
        next_b = b + (done + k) * n;
        pass(a + done * (transpose_a ? m : 1), b + done * (transpose_b ? 1 : n));
        beta = 1;
        done += k;
      } while (done < all_k);
    }

    void pass(const T* a, const T* b) {
      const std::size_t tiles = plan.tiles.parts;
      const std::size_t most_panels = ahead.lines ? 1 : plan.most_panels;
      T* const folded_b = workspace;
      T* const packed_b = workspace + plan.packed_offset;
      if constexpr (most_folded > 0)
        if (plan.folded) pack_folded(folded_b, b);
      if (plan.copies_a) copy_a(a);
      std::size_t tile = 0, column = 0;
      do {
        const std::size_t end = std::min(tile + plan.group, tiles);
        if (plan.packed && plan.shape.transpose_b) pack_transposed(packed_b, b, tile, end, column);
        const bool fold = plan.folded && end == tiles;
        std::size_t next_column = column;
        for (std::size_t i = tile; i < end; ++i) next_column += plan.tiles[i] * lanes;
        const T* const next_group = end < tiles ? b + next_column : next_b;
        for (std::size_t row = 0, panel = 0; panel < plan.panels.parts;) {
          const std::size_t rows = plan.panels[panel];
          const bool packs = panel == 0 && plan.packed && !plan.shape.transpose_b;
          const std::size_t panels = packs ? 1 : std::min(most_panels, plan.panels.alike(panel));
          if (packs)
            pack_and_run_tiles(a, rows, tile, end, column, b + column, packed_b);
          else
            run_tiles(a, row, rows, panels, tile, end, column, plan.packed ? packed_b : b + column,
                      plan.reads_rows ? rows_of_b(b + column, tile, panel)
                                      : share_of_next_group(next_group, panel));
          if constexpr (most_folded > 0)
            if (fold) run_folded(a, row, rows, panels, folded_b);
          row += panels * rows;
          panel += panels;
        }
        tile = end, column = next_column;
      } while (tile < tiles);
      if constexpr (bytes == 64)
        if (plan.flipped) run_flipped(a, b);
      if constexpr (most_halved > 0)
        if (plan.halved) run_halved(a, b);
    }

    std::size_t row_of_a() const { return plan.shape.transpose_a ? 1 : plan.shape.k; }
    std::size_t step_of_a() const { return plan.shape.transpose_a ? plan.shape.m : 1; }
    // The rows of a from row `row` on, where they lie or in their copy.
    const T* panel_of_a(const T* a, std::size_t row) const {
      return plan.copies_a ? workspace + plan.a_offset + row * k : a + row * row_of_a();
    }
    std::size_t step_of_panel(std::size_t rows) const { return plan.copies_a ? rows : step_of_a(); }

    void copy_a(const T* a) const {
      cpu::copy_steps<Target::most_rows(most_packed_vectors)>(
          plan.panels.parts, k, a, plan.shape.m, [&](std::size_t i) { return plan.panels[i]; },
          workspace + plan.a_offset);
    }
    std::size_t overlap_of(std::size_t tile) const {
      return tile + 1 == plan.tiles.parts ? plan.overlap : 0;
    }

    // The last panel has no next one; reading ahead of it does no harm.
    void name_next_panel(Soon<T>& soon, const T* a, std::size_t rows) const {
      constexpr std::size_t line = 64 / sizeof(T);
      if (plan.copies_a)
        soon.a = a + rows * k, soon.a_line = line, soon.a_step = rows * line;
      else if (plan.packed && !plan.shape.transpose_a)
        soon.a = a + rows * row_of_a(), soon.a_line = row_of_a(), soon.a_step = line;
    }

    // What the panels ask for, each its share, but one that packs, which asks for its own: the b of
    // the next group.
    Soon<T> share_of_next_group(const T* b, std::size_t panel) const {
      const std::size_t packing = plan.packed ? 1 : 0;  // panels
      if (!plan.asks_for_group || panel < packing) return {};
      const std::size_t shares = plan.panels.parts - packing, i = panel - packing;
      if (plan.asks_row_by_row)
        return {.line = b + i * plan.group * plan.shape.n, .line_step = plan.line_step};
      if (plan.line_step) {  // a line of each row, which is one line longer where it begins inside
        constexpr std::size_t line = 64 / sizeof(T);
        if (i > plan.tiles[0]) return {};
        return {.line = b + i * line,
                .line_step = plan.line_step,
                .line_turn = std::ptrdiff_t(line) - std::ptrdiff_t(k * plan.line_step)};
      }
      const std::size_t first = k * i / shares, end = k * (i + 1) / shares;
      return {.b = b + first * plan.shape.n, .rows = end - first, .stride = plan.shape.n};
    }

    // Where b is read in its place: its next rows, and what tiles to the right read, or a share of
    // the next pass.
    Soon<T> rows_of_b(const T* tile_b, std::size_t tile, std::size_t panel) const {
      if (plan.asks_for_tiles) {
        const std::size_t n = plan.shape.n, columns = plan.tiles[tile] * lanes;
        return {.line = tile_b + (panel + 1) * columns,
                .line_step = n,
                .line_turn = std::ptrdiff_t(columns) - std::ptrdiff_t(k * n),
                .steps_ahead = plan.steps_ahead};
      }
      const std::size_t tiles_before = tile * plan.panels.parts + panel;
      // The line is one of c where none is asked for, which is there anyhow.
      return {.line = plan.line_step ? next_b + tiles_before * k * plan.line_step : c,
              .line_step = plan.line_step,
              .steps_ahead = plan.steps_ahead};
    }

    [[gnu::always_inline]] void run_tiles(const T* a, std::size_t row, std::size_t rows,
                                          std::size_t panels, std::size_t tile, std::size_t end,
                                          std::size_t column, const T* tile_b, Soon<T> soon) {
      const std::size_t n = plan.shape.n, step = step_of_panel(rows);
      a = panel_of_a(a, row);
      T* tile_c = c + row * n + column;
      const bool names_soon = (plan.packed && plan.asks) || plan.asks_for_group || plan.reads_rows;
      for (; tile < end; ++tile) {
        const std::size_t vectors = plan.tiles[tile], columns = vectors * lanes;
        const std::size_t overlap = overlap_of(tile), last = columns - lanes;
        if (tile + 1 == end) name_next_panel(soon, a, rows);
        ahead.some();
        for (std::size_t line = 0; line < plan.rows_ahead; ++line, next_b += 64 / sizeof(T))
          __builtin_prefetch(next_b, 0, 2);
        kernels_of(plan, vectors)[rows - 1](panels, k, a, row_of_a(), step, tile_b,
                                            plan.packed ? columns : n, tile_c, n, alpha, beta,
                                            plan.packed ? last : last - overlap, last - overlap,
                                            beta == 0 ? 0 : overlap, names_soon ? &soon : nullptr);
        tile_c += columns;
        tile_b += plan.packed ? columns * k : columns;
        // Each tile asks for the one in its place, or for another row.
        if (soon.line) soon.line += plan.asks_row_by_row ? n : columns;
        if (soon.rows) soon.b += columns;
      }
    }

    // The first panel of rows. Leaves one k × columns matrix for every tile in `packed`.
    void pack_and_run_tiles(const T* a, std::size_t rows, std::size_t tile, std::size_t end,
                            std::size_t column, const T* b, T* packed) const {
      const std::size_t n = plan.shape.n, step = step_of_panel(rows);
      a = panel_of_a(a, 0);
      T* tile_c = c + column;
      for (; tile < end; ++tile) {
        const std::size_t vectors = plan.tiles[tile], columns = vectors * lanes;
        const std::size_t overlap = overlap_of(tile), last = columns - lanes - overlap;
        Soon<T> soon;
        if (tile + 1 == end) name_next_panel(soon, a, rows);
        packing_tables[vectors - 1][rows - 1](k, a, row_of_a(), step, b, n, tile_c, n, alpha, beta,
                                              last, last, beta == 0 ? 0 : overlap, &soon, packed);
        tile_c += columns;
        b += columns;
        packed += columns * k;
      }
    }

    void run_folded(const T* a, std::size_t row, std::size_t rows, std::size_t panels,
                    const T* folded_b) const {
      const RunFoldTile<T>* const kernels = with_columns(
          [&]<std::size_t columns>() { return FoldTiles<Target, T, bytes, columns>::all.data(); });
      const std::size_t n = plan.shape.n;
      kernels[rows - 1](panels, k, a + row * row_of_a(), row_of_a(), folded_b,
                        c + row * n + n - plan.folded, n, alpha, beta, plan.folded);
    }

    // Columns of b times vectors of rows of a that is transposed.
    void run_flipped(const T* a, const T* b) const {
      const std::size_t m = plan.shape.m, n = plan.shape.n, columns = plan.flipped;
      int most = most_vectors;
      while (most_rows<Target, bytes>(most) < columns) --most;
      const Shares strips = Shares::of((m + lanes - 1) / lanes, std::size_t(most));
      alignas(64) T made[most_folded * most_vectors * lanes];
      for (std::size_t strip = 0, row = 0; strip < strips.parts; ++strip) {
        const std::size_t vectors = strips[strip], rows = std::min(vectors * lanes, m - row);
        const std::size_t width = vectors * lanes, last = rows - lanes;
        tile_tables[vectors - 1][columns - 1](1, k, b + n - columns, 1, n, a + row, m, made, width,
                                              alpha, 0, last, last, 0, nullptr);
        for (std::size_t i = 0; i < rows; ++i)
          for (std::size_t j = 0; j < columns; ++j) {
            T& to = c[(row + i) * n + n - columns + j];
            to = made[j * width + i] + (beta == 0 ? T(0) : beta * to);
          }
        row += rows;
      }
    }

    void run_halved(const T* a, const T* b) const {
      const auto& kernels = Tiles<Target, T, bytes / 2, 1>::direct;
      const std::size_t n = plan.shape.n, first = n - most_halved;
      const std::size_t keep = beta == 0 ? 0 : most_halved - plan.halved;
      for (std::size_t row = 0, panel = 0; panel < plan.halved_panels.parts;) {
        const std::size_t rows = plan.halved_panels[panel];
        const std::size_t panels = plan.halved_panels.alike(panel);
        kernels[rows - 1](panels, k, a + row * row_of_a(), row_of_a(), step_of_a(), b + first, n,
                          c + row * n + first, n, alpha, beta, 0, 0, keep, nullptr);
        row += panels * rows;
        panel += panels;
      }
    }

    void pack_folded(T* to, const T* b) const {
      const std::size_t row = plan.shape.transpose_b ? 1 : plan.shape.n;
      const std::size_t column = plan.shape.transpose_b ? plan.shape.k : 1;
      b += (plan.shape.n - plan.folded) * column;
      with_columns([&]<std::size_t columns>() {
        serial::pack_folded<T, bytes, columns>(k, b, row, column, plan.folded, to);
      });
    }

    // `of.operator()<columns>()` of as many columns as a vector has for those that are folded.
    auto with_columns(const auto& of) const {
      constexpr std::size_t two = std::min<std::size_t>(2, most_folded);
      constexpr std::size_t four = std::min<std::size_t>(4, most_folded);
      if (plan.folded == 1) return of.template operator()<1>();
      if (plan.folded == 2) return of.template operator()<two>();
      if (plan.folded <= 4) return of.template operator()<four>();
      return of.template operator()<most_folded>();
    }

    // One k × columns matrix for every tile.
    void pack_transposed(T* to, const T* b, std::size_t tile, std::size_t end,
                         std::size_t column) const {
      const std::size_t stride = plan.shape.k;
      for (; tile < end; ++tile) {
        const std::size_t columns = plan.tiles[tile] * lanes, last = columns - lanes;
        for (std::size_t j = 0; j < columns; j += lanes) {
          const T* from[lanes];
          for (std::size_t i = 0; i < lanes; ++i)
            from[i] = b + (column + j + i - (j < last ? 0 : overlap_of(tile))) * stride;
          cpu::turn_strip<bytes>(from, lanes, k, to + j, columns);
        }
        to += columns * k;
        column += columns;
      }
    }
  };
};

}  // namespace breakeven::serial
