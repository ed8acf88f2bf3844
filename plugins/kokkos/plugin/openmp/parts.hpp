// SPDX-License-Identifier: Apache-2.0
// How a product is dealt out to threads, and how a part of c is made with a b that its thread
// copies, a panel at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "plugins/cpu_common/copy_steps.hpp"
#include "plugins/cpu_common/row.hpp"
#include "plugins/cpu_common/turn_block.hpp"
#include "tile.hpp"

namespace breakeven::kokkos {

// What of b a thread copies at a time: columns that together fit its cache, in strips of at most
// `width`; more of them where there are few steps, so that c is written in longer pieces.
template <class Step>
struct Panel {
  using Traits = HostTraits<typename Step::T>;
  static constexpr std::size_t width = Traits::vectors * Traits::lanes;
  static_assert(Traits::panel_columns % width == 0);

  std::size_t depth = Traits::panel_depth, columns = Traits::panel_columns;

  explicit Panel(std::size_t steps) {
    if (steps < depth) {
      columns *= depth / std::max<std::size_t>(1, steps), depth = steps;
    } else if (Step::whole_k && steps > depth) {
      depth = steps, columns = width;
    }
  }
  std::size_t elements() const { return depth * columns; }
};

// Columns in as few strips as tiles are wide enough for, as even as they get: with three vectors to
// a tile none of one is left beside others, whose tiles would wait for their sums.
template <class T>
struct Strips {
  static constexpr std::size_t lanes = HostTraits<T>::lanes, widest = HostTraits<T>::vectors;
  std::size_t columns, count, least, wider;  // vectors of each; the first ones have one more

  explicit Strips(std::size_t of) : columns(of) {
    const std::size_t vectors = (of + lanes - 1) / lanes;
    count = (vectors + widest - 1) / widest;
    least = count == 0 ? 0 : vectors / count, wider = vectors - count * least;
  }
  // Where strip i begins.
  std::size_t operator[](std::size_t i) const { return lanes * (i * least + std::min(i, wider)); }
  std::size_t width(std::size_t i) const { return lanes * (least + (i < wider ? 1 : 0)); }
  std::size_t used(std::size_t i) const { return std::min(width(i), columns - (*this)[i]); }
};

// A rectangle of one matrix of the batch.
struct Part {
  std::size_t matrix, row, rows, column, columns;
};

// How the batch is dealt out: whole matrices, or each matrix cut into a grid of parts.
struct Deal {
  std::size_t threads, row_cuts, column_cuts;
  // Each part is cut once more, so that a thread that is done helps one that is not.
  std::size_t row_pieces = 1, column_pieces = 1;

  std::size_t parts() const {  // of a matrix
    return row_cuts * column_cuts * row_pieces * column_pieces;
  }

  template <class Step, class Product>
  static Deal of(const Product& product, std::size_t threads) {
    using Traits = HostTraits<typename Step::T>;
    // Flops that take one core of a Zen 4 three microseconds, four times what two threads lose, or
    // one of a Zen 5 two.
    const double edge = vector_bytes == 64 && !computes_halves(product.way) ? 50 : 44;
    const double meeting =
        std::max(1.0, std::log2(double(threads)) / 2);  // more threads take longer to meet
    const double worth_two_threads =
        2 * edge * edge * edge * 8 / sizeof(typename Step::T) * meeting;
    const double flops = 2.0 * double(product.m) * double(product.n) * double(product.k);
    if (flops * double(product.batch) < worth_two_threads) return {1, 1, 1};
    if (product.batch >= threads || flops < worth_two_threads) {
      return {std::min(threads, product.batch), 1, 1};
    }
    if (Step::copies_b || product.b_column != 1) return shortest<Step>(product, threads);
    // Rows while all of b stays in the cache of each thread, and there are tiles of them; else
    // columns, so that each thread reads its own columns of b only, but no less than a panel of
    // them, unless b is the smaller matrix.
    Deal deal{threads, threads, 1};
    if (product.m < threads * Traits::direct_rows && product.n >= threads * 2 * Traits::lanes)
      deal = {threads, 1, threads};
    else if (product.n > Traits::direct_limit || product.k > Traits::direct_limit) {
      const bool is_tall = product.m >= std::max(2 * product.n, 100 * threads);
      // Or b is small, as where k is short; then threads that write to the same rows of c would
      // disturb each other. f64 with a transposed a did not gain.
      constexpr std::size_t element = sizeof(typename Step::T);
      const bool is_short = product.m >= 50 * threads &&
                            product.n * product.k * element <= (256 << 10) &&
                            (element == 4 || product.a_column == 1);
      while (!is_tall && !is_short && deal.row_cuts > 1 &&
             product.n / (threads / deal.row_cuts) > Traits::panel_columns) {
        std::size_t next = deal.row_cuts - 1;
        while (threads % next != 0) --next;
        deal.row_cuts = next;
      }
      deal.column_cuts = threads / deal.row_cuts;
    }
    return deal;
  }

  // The grid whose largest part takes the shortest. To copy a vector of b takes as long as to
  // multiply it with so many rows of a, and what is narrower than a strip is no faster than one.
  // Threads that write to the same rows of c disturb each other, which shows where k is short.
  template <class Step, class Product>
  static Deal shortest(const Product& product, std::size_t threads) {
    using Traits = HostTraits<typename Step::T>;
    constexpr std::size_t rows_per_copy = 5;
    const auto largest = [](std::size_t of, std::size_t cuts) { return (of + cuts - 1) / cuts; };
    const std::size_t vectors = largest(product.n, Traits::lanes);
    Deal best{threads, threads, 1};
    std::size_t least = std::size_t(-1);
    for (std::size_t cuts = 1; cuts <= threads; ++cuts) {
      if (threads % cuts != 0) continue;
      std::size_t time = (largest(product.m, cuts) + rows_per_copy) *
                         std::max(largest(vectors, threads / cuts), Traits::vectors);
      if (cuts < threads) time += 4 * time / std::max<std::size_t>(1, product.k);
      if (time < least) least = time, best = {threads, cuts, threads / cuts};
    }
    return best;
  }

  // The same in up to four pieces of each part, as far as they take 40 microseconds and more.
  // Columns first, no fewer than 96 or half a panel of `steps` steps; what is left of the four are
  // rows, no fewer than 400, though each of these pieces copies b again.
  template <class Step, class Product>
  Deal in_pieces(const Product& product, std::size_t steps, bool cuts_columns) const {
    using Traits = HostTraits<typename Step::T>;
    constexpr std::size_t most = 4, fewest_rows = 400;
    constexpr double least_flops = 4e6 * 4 / sizeof(typename Step::T);
    if (threads == 1 || product.batch > 1) return *this;
    const double flops = 2.0 * double(product.m) * double(product.n) * double(product.k);
    const auto pieces = std::size_t(
        std::clamp(flops / double(row_cuts * column_cuts) / least_flops, 1.0, double(most)));
    const std::size_t fewest_columns =
        std::max(Traits::panel_columns, Panel<Step>(steps).columns / 2);
    Deal finer = *this;
    if (cuts_columns)
      finer.column_pieces =
          std::clamp<std::size_t>(product.n / column_cuts / fewest_columns, 1, pieces);
    finer.row_pieces = std::clamp<std::size_t>(product.m / row_cuts / fewest_rows, 1,
                                               pieces / finer.column_pieces);
    return finer;
  }

  // Part i of `batch` × parts().
  template <class Step, class Product>
  Part part(const Product& product, std::size_t i) const {
    using T = typename Step::T;
    // A small product takes less time than the divisions.
    if (parts() == 1) return {i, 0, product.m, 0, product.n};
    const std::size_t pieces = row_pieces * column_pieces, of = i / pieces;
    const std::size_t column = of % column_cuts, row = of / column_cuts % row_cuts;
    const std::size_t r0 = cut(product.m, row_cuts, row), r1 = cut(product.m, row_cuts, row + 1);
    constexpr std::size_t lanes = HostTraits<T>::lanes;
    const std::size_t vectors = (product.n + lanes - 1) / lanes;
    const std::size_t c0 = std::min(product.n, lanes * cut(vectors, column_cuts, column));
    const std::size_t c1 = std::min(product.n, lanes * cut(vectors, column_cuts, column + 1));
    const Part part{of / column_cuts / row_cuts, r0, r1 - r0, c0, c1 - c0};
    return pieces == 1 ? part : piece<T>(part, i % pieces);
  }

 private:
  // Its columns are the strips that those of the whole part are cut into.
  template <class T>
  Part piece(const Part& part, std::size_t i) const {
    const std::size_t column = i / row_pieces, row = i % row_pieces;
    const Strips<T> strips(part.columns);
    const std::size_t r0 = cut(part.rows, row_pieces, row),
                      r1 = cut(part.rows, row_pieces, row + 1);
    const auto edge = [&](std::size_t at) {
      return std::min(part.columns, strips[cut(strips.count, column_pieces, at)]);
    };
    const std::size_t c0 = edge(column), c1 = edge(column + 1);
    return {part.matrix, part.row + r0, r1 - r0, part.column + c0, c1 - c0};
  }
};

// Some of them, which lie one behind the other when they are copied.
struct StripRange {
  std::size_t first, end;
};

// copy_panel of a b that lies along k, a block at a time that the first-level cache holds.
// `read(j, p, steps, place)` says where so many steps of column j of b lie, from step p on, as the
// panel has them; it may write them to `place`.
inline constexpr std::size_t turned_steps = 64;
template <class T, class Read>
void turn_panel(std::size_t depth0, std::size_t depth, std::size_t column0, const Strips<T>& strips,
                const StripRange& range, T* panel, const Read& read) {
  constexpr std::size_t lanes = HostTraits<T>::lanes;
  T places[lanes][turned_steps];
  for (std::size_t strip = range.first; strip < range.end; ++strip) {
    const std::size_t used = strips.used(strip), width = strips.width(strip);
    for (std::size_t p0 = 0; p0 < depth; p0 += turned_steps) {
      const std::size_t steps = std::min(turned_steps, depth - p0);
      for (std::size_t j = 0; j < used; j += lanes) {
        const std::size_t count = std::min(lanes, used - j);
        const T* from[lanes];
        for (std::size_t i = 0; i < count; ++i)
          from[i] = read(column0 + strips[strip] + j + i, depth0 + p0, steps, places[i]);
        cpu::turn_strip<vector_bytes>(from, count, steps, panel + p0 * width + j, width);
      }
    }
    panel += depth * width;
  }
}

// Steps [depth0, depth0 + depth) of some strips of the columns from column0 on, one behind the
// other. Behind the last column there may be anything.
template <class Step, class Product, class T>
void copy_panel(const Product& product, std::size_t depth0, std::size_t depth, std::size_t column0,
                const Strips<T>& strips, const StripRange& range, T* panel) {
  if (product.b_column != 1)
    return turn_panel(depth0, depth, column0, strips, range, panel,
                      [&](std::size_t j, std::size_t p, std::size_t steps, T* place) {
                        return Step::read_b(product, j, p, steps, place);
                      });
  for (std::size_t strip = range.first; strip < range.end; ++strip) {
    const std::size_t used = strips.used(strip), width = strips.width(strip);
    for (std::size_t p = 0; p < depth; ++p, panel += width)
      Step::copy_b(product, depth0 + p, column0 + strips[strip], used, panel);
  }
}

// A product whose a is in steps of k: element (i, p) of its first matrix at a[i a_row + p a_step],
// the next matrix a_matrix elements behind. b and c are as they were given. `turned`: where c is to
// be turned round to, or null.
template <class Step>
struct Steps {
  using T = typename Step::T;

  Product<typename Step::C, T> product;
  const T* a;
  std::size_t a_row, a_step, a_matrix;
  typename Step::C* turned = nullptr;

  Steps matrix(std::size_t i) const {
    return {product.matrix(i),
            a + i * a_matrix,
            a_row,
            a_step,
            a_matrix,
            turned ? turned + i * product.m * product.n : nullptr};
  }
};

// Makes a part of the c of one matrix by `multiply`, and turns it round where that is asked for.
template <class Step, class Multiply>
void make_part(const Steps<Step>& steps, const Part& part, const Multiply& multiply) {
  if constexpr (std::is_floating_point_v<typename Step::C>) {
    if (steps.turned) {
      const std::size_t m = steps.product.m, n = steps.product.n;
      auto* const made = steps.product.c + part.row * n + part.column;
      auto* const asked = steps.turned + part.column * m + part.row;
      if (steps.product.beta != 0)
        cpu::transpose<vector_bytes>(part.columns, part.rows, asked, m, made, n);
      multiply();
      return cpu::transpose<vector_bytes>(part.rows, part.columns, made, n, asked, m);
    }
  }
  multiply();
}

// Rows dealt out to tiles of at most `most`, the higher ones first.
struct Heights {
  std::size_t tiles, least, higher;

  Heights(std::size_t rows, std::size_t most) : tiles((rows + most - 1) / most) { share(rows); }
  std::size_t row_of(std::size_t tile) const { return tile * least + std::min(tile, higher); }
  // A few more tiles where they are alike then, and no lower than `fewest` rows: one call makes
  // them all.
  static Heights alike(std::size_t rows, std::size_t most, std::size_t fewest) {
    const Heights few(rows, most);
    for (Heights more = few; more.tiles < few.tiles + 6; ++more.tiles) {
      more.share(rows);
      if (more.higher == 0 && more.least >= fewest) return more;
    }
    return few;
  }

 private:
  void share(std::size_t rows) {
    least = tiles == 0 ? 0 : rows / tiles, higher = tiles == 0 ? 0 : rows % tiles;
  }
};

// What the tiles of a part of c have in common, from step `depth0` on.
template <class Step>
TileOperands<Step> operands(const Steps<Step>& steps, const Part& part, std::size_t depth0,
                            std::size_t depth) {
  TileOperands<Step> at{};
  at.tiles = 1, at.a = steps.a + part.row * steps.a_row + depth0 * steps.a_step;
  at.a_row = steps.a_row, at.a_column = steps.a_step, at.k = depth;
  at.c = steps.product.c + part.row * steps.product.n + part.column, at.c_row = steps.product.n;
  at.alpha = steps.product.alpha;
  at.beta = depth0 == 0 ? steps.product.beta : typename Step::T(1);
  return at;
}

// Whether a is transposed and copied: its steps are a multiple of 1 KB apart and push each other
// out of the first cache, and each thread has columns and steps enough to make up for it.
template <class Step>
bool copies_a(const Steps<Step>& steps, const Deal& deal) {
  constexpr std::size_t element = sizeof(typename Step::T);
  if (steps.a_row != 1 || steps.a_step == 1 || steps.product.m <= 1) return false;
  const std::size_t k = Step::steps(steps.product.k), step_bytes = steps.a_step * element;
  const std::size_t columns = steps.product.n / deal.column_cuts;
  const std::size_t bytes = k * step_bytes;
  constexpr std::size_t megabyte = 1 << 20;
  if (is_intel(steps.product.way) && bytes >= megabyte && columns >= 64 && k >= 64) return true;
  if (step_bytes % 1024 != 0) return false;
  if (vector_bytes < 64)
    return step_bytes >= 4096 && bytes >= 2 * megabyte && columns >= 64 && k >= 64 &&
           columns * k >= 25000;
  // A tile reads whole cache lines of f64, and half ones of f32.
  if (element == 8) return k >= 1500 && columns >= 250;
  if (step_bytes % 4096 == 0 && columns >= 500) return k >= 16;
  return k >= 640 && columns >= 96 && bytes >= (columns >= 256 ? 3 : 16) * megabyte / 4;
}

// Steps [depth0, depth0 + depth) of the rows of a part, a row of tiles behind the other.
template <class Step, class T>
void copy_a(const Steps<Step>& steps, const Part& part, std::size_t depth0, std::size_t depth,
            T* to) {
  constexpr std::size_t most = HostTraits<T>::rows;
  const Heights heights(part.rows, most);
  cpu::copy_steps<most>(
      heights.tiles, depth, steps.a + part.row + depth0 * steps.a_step, steps.a_step,
      [&](std::size_t tile) { return heights.least + (tile < heights.higher ? 1 : 0); }, to);
}

// The tile of the first rows and of `width` columns of b, which it leaves in `packed` for the
// others. False: there is none of so few rows.
template <class Step, class T>
bool run_packing_tile(const Steps<Step>& steps, std::size_t depth0, std::size_t column,
                      std::size_t rows, std::size_t width, TileOperands<Step> tile, T* packed) {
  if constexpr (!Step::copies_b) {
    const auto& product = steps.product;
    const Tile<Step> run = pick_packing_tile<Step>(rows, width / HostTraits<T>::lanes);
    if (!run) return false;
    tile.b = product.b + depth0 * product.b_row + column, tile.b_row = product.b_row;
    tile.packed = packed;
    run(tile);
    return true;
  }
  return false;
}

// So many rows of tiles take a strip of a panel one after the other. More than one ask for no rows
// of a: an Intel brings the next ones by itself. With AVX2 as many as stay in an eighth of a Zen
// 4's second cache for the next strip, of an a that comes in time from the third one.
template <class Product>
std::size_t rows_of_tiles_at_once(const Product& product, std::size_t rows, std::size_t depth) {
  using T = typename Product::Sum;
  constexpr std::size_t kilobyte = 1 << 10, megabyte = 1 << 20;
  if (is_intel(product.way)) return 4;
  const std::size_t bytes = std::max<std::size_t>(1, depth) * sizeof(T);  // of a row of a
  const std::size_t c_bytes = product.m * product.n * sizeof(*product.c);
  if (!is_avx2 || rows * bytes > 2 * megabyte || cpu::is_written_by_rows(c_bytes, depth)) return 1;
  return std::max<std::size_t>(1, 128 * kilobyte / (HostTraits<T>::rows * bytes));
}

// A copied panel of some strips, at whose first column `part` begins: its tiles row by row, so that
// rows of a, or of its copy if there is one, serve every strip from the first-level cache; or
// several rows of tiles at once (rows_of_tiles_at_once), from the second one. The first row of
// tiles packs the panel, where it `packs` (else that is done): while b comes from far away there is
// something to compute. The others ask for their share of `next`, which is about as large and
// copied next, or null.
template <class Step, class T>
void run_panel(const Steps<Step>& steps, const Part& part, std::size_t depth0, std::size_t depth,
               const Strips<T>& strips, const StripRange& range, const T* copied_a, T* panel,
               bool packs, const typename Step::C* next) {
  using Traits = HostTraits<T>;
  constexpr std::size_t lanes = Traits::lanes;
  const Heights heights(part.rows, Traits::rows);
  constexpr std::size_t line = 64 / sizeof(T);
  TileOperands<Step> at = operands(steps, part, depth0, depth);
  if (copied_a) at.a = copied_a, at.a_row = 1;
  const std::size_t row_of_a = copied_a ? depth : at.a_row;  // to the next row of tiles
  at.next_line = copied_a ? line : at.a_row;
  std::size_t rows = 0;
  const std::size_t most_tiles =
      copied_a || next ? 1 : rows_of_tiles_at_once(steps.product, part.rows, depth);
  for (std::size_t i = 0; i < heights.tiles;
       i += at.tiles, at.a += at.tiles * rows * row_of_a, at.c += at.tiles * rows * at.c_row) {
    rows = heights.least + (i < heights.higher ? 1 : 0);
    const bool packing = packs && i == 0;
    at.tiles = std::min(packing ? 1 : most_tiles,
                        (i < heights.higher ? heights.higher : heights.tiles) - i);
    if (copied_a) at.a_column = rows;
    at.next_step = copied_a ? rows * line : line;
    TileOperands<Step> tile = at;
    T* strip_b = panel;
    const std::size_t packed = packs ? 1 : 0;
    if (next && !packing &&
        is_intel(steps.product.way)) {  // a line of each row, which may have one more
      if (i - packed <= Traits::vectors)
        tile.line = next + (i - packed) * line, tile.line_step = steps.product.b_row;
    } else if (next && !packing) {
      const std::size_t shares = heights.tiles - packed;
      const std::size_t first = cut(depth, shares, i - packed);
      tile.next_stride = steps.product.b_row;
      tile.next_b = next + first * tile.next_stride;
      tile.next_rows = cut(depth, shares, i + 1 - packed) - first;
    }
    for (std::size_t strip = range.first; strip < range.end; ++strip) {
      const std::size_t width = strips.width(strip), used = strips.used(strip);
      const bool partial = used < width;
      tile.b_row = width, tile.last_at = width - lanes;
      if (partial) tile.set_last(used % lanes);
      // The rows that come next, where b leaves time for them; one more at most than there are.
      const bool rows_change = strip + 1 == range.end && i + at.tiles < heights.tiles;
      const bool in_lines = copied_a != nullptr || at.a_column == 1;
      tile.next_a = rows_change && in_lines && most_tiles == 1 ? at.a + rows * row_of_a : nullptr;
      tile.b = strip_b;
      const std::size_t column0 = part.column - strips[range.first];
      if (!packing || partial ||
          !run_packing_tile(steps, depth0, column0 + strips[strip], rows, width, tile, strip_b)) {
        if (packing)
          copy_panel<Step>(steps.product, depth0, depth, column0, strips, {strip, strip + 1},
                           strip_b);
        pick_tile<Step, Traits::rows, Traits::vectors>(rows, width / lanes, partial)(tile);
      }
      strip_b += depth * width, tile.c += width;
      if (tile.next_b) tile.next_b += width;
      if (tile.line) tile.line += width;
    }
  }
}

// c where there is nothing to add to it.
template <class Step, class Product>
void scale_part(const Product& product, const Part& part) {
  using Vector = typename HostTraits<typename Step::T>::Vector;
  for (std::size_t i = part.row; i < part.row + part.rows; ++i) {
    for (std::size_t j = 0; j < part.columns; j += Vector::size()) {
      const std::size_t count = std::min<std::size_t>(Vector::size(), part.columns - j);
      auto* const c = product.c + i * product.n + part.column + j;
      Step::store(c, count,
                  product.beta == 0 ? Vector(0) : Vector(product.beta) * Step::load(c, count));
    }
  }
}

// Whether few rows leave memory idle while they are multiplied with a panel of b that was copied:
// then the next one is asked for, which finds room in the second cache beside this one.
template <class Step, class Product>
bool asks_for_b(const Product& product) {
  constexpr std::size_t megabyte = 1 << 20;
  const std::size_t row_bytes = product.n * sizeof(typename Step::T);
  if (vector_bytes < 32 || Step::copies_b || product.b_column != 1 || product.m > 200) return false;
  if (is_intel(product.way)) return row_bytes % 4096 != 0;
  return row_bytes * product.k > (comes_late(product.way) ? 6 : 12) * megabyte;
}

// A part of c of the first matrix. Copies b, a panel at a time, to `panel`, which holds
// Panel(steps).elements(), and a to `copied_a`, Panel(steps).depth steps of the rows of the part,
// if it is not null.
template <class Step, class T>
void run_part(const Steps<Step>& steps, const Part& part, T* panel, T* copied_a) {
  const auto& product = steps.product;
  if (product.k == 0) return scale_part<Step>(product, part);
  using Traits = HostTraits<T>;
  const std::size_t k = Step::steps(product.k);
  Panel<Step> most(k);
  const bool asks = asks_for_b<Step>(product);
  if (asks) most.columns = std::min(most.columns, Traits::panel_columns / (is_avx2 ? 3 : 2));
  const Strips<T> strips(part.columns);
  // As even as they get, because a narrow panel costs as much of a as a wide one.
  const std::size_t panels = (part.columns + most.columns - 1) / most.columns;
  const std::size_t slices = (k + most.depth - 1) / most.depth;
  // It changes nothing for many rows on a Zen 4 with AVX-512; a Zen 5 was not measured.
  const bool packs = (is_intel(product.way) || is_avx2 || (asks && computes_halves(product.way))) &&
                     !Step::copies_b && product.b_column == 1;
  for (std::size_t s = 0; s < slices; ++s) {
    const std::size_t p = cut(k, slices, s);
    const std::size_t depth = cut(k, slices, s + 1) - p;
    if (copied_a) copy_a(steps, part, p, depth, copied_a);
    for (std::size_t i = 0; i < panels; ++i) {
      const StripRange range{cut(strips.count, panels, i), cut(strips.count, panels, i + 1)};
      if (!packs) copy_panel<Step>(product, p, depth, part.column, strips, range, panel);
      const bool is_last = i + 1 == panels;
      const typename Step::C* next = nullptr;
      if (asks && (!is_last || s + 1 < slices))
        next = product.b + part.column +
               (is_last ? (p + depth) * product.b_row : p * product.b_row + strips[range.end]);
      Part from = part;
      from.column += strips[range.first];
      run_panel<Step, T>(steps, from, p, depth, strips, range, copied_a, panel, packs, next);
    }
  }
}

}  // namespace breakeven::kokkos
