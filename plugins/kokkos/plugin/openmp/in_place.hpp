// SPDX-License-Identifier: Apache-2.0
// A part of c with b where it lies: a list of tiles, made when the product is prepared.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "parts.hpp"

namespace breakeven::kokkos {

template <class Product>
bool b_is_small(const Product& product) {
  using Traits = HostTraits<typename Product::Sum>;
  return product.n <= Traits::direct_limit && product.k <= Traits::direct_limit;
}

// Whether b, which is not small, is better read in its place than copied by so few rows, all of k
// at once: on a Zen 4 where the third cache brings it in time, on a Zen 5 from memory too.
template <class Product>
bool b_is_near(const Product& product) {
  if (vector_bytes != 64 || b_is_small(product) || is_intel(product.way)) return false;
  return !computes_halves(product.way) ||
         product.n * product.k * sizeof(typename Product::Sum) <= (std::size_t(6) << 20);
}

// How few rows' b, of which each thread has its columns, is read where it lies: by an Intel, and
// with AVX2 from the third cache.
template <class Product>
class FewRows {
  using T = typename Product::Sum;

 public:
  FewRows(const Product& product, const Deal& deal)
      : rows_((product.m + deal.row_cuts - 1) / deal.row_cuts),
        row_bytes_(product.n * sizeof(T)),
        share_((row_bytes_ + deal.column_cuts - 1) / deal.column_cuts),
        k_(product.k),
        is_intel_(is_intel(product.way)),
        is_small_(b_is_small(product)) {}

  // Whether tiles ask for each row some steps before its turn, into the first cache, where rows
  // that are pages apart would push each other out.
  bool ask() const {
    if (is_avx2) return ask_with_avx2();
    if (!is_intel_ || rows_ < 2 || share_ <= HostTraits<T>::direct_vectors * 64) return false;
    if (!is_small_) return rows_ <= 40 && !are_pages_apart();
    const bool fill_tiles = rows_ % 8 == 0 || rows_ > 12;
    return share_ * k_ > (128 << 10) && fill_tiles &&
           (rows_ <= 64 || (share_ * k_ <= (700 << 10) && row_bytes_ % 64 != 0));
  }
  // Whether they are better read so, or a few whole ones at a time, than copied.
  bool stay_in_place() const {
    const bool few_whole = rows_ <= (!are_pages_apart() ? 1 : is_far() ? 32 : 64);
    return ask() || (is_intel_ && few_whole);
  }
  // More passes over c would let threads disturb each other, whose columns share pages of it.
  std::size_t of_a_slice() const {
    if (!is_intel_) return HostTraits<T>::panel_depth;
    const bool are_few = !ask() && rows_ <= (sizeof(T) == 4 ? 4 : 6);
    if (are_few ? !is_far() : !are_pages_apart()) return HostTraits<T>::panel_depth;
    return are_few ? 32 : 64;
  }
  // So many whole rows at a time, as memory brings them. With AVX2 a thread's columns of them are
  // up to 128 KB, by which some shapes gain with AVX-512 and others lose.
  std::size_t whole_rows() const {
    const std::size_t least = 16;
    return is_avx2 ? std::max(least, (std::size_t(128) << 10) / share_) : least;
  }
  // So many steps before; 0: they do not ask.
  std::size_t steps_ahead() const { return !ask() ? 0 : is_intel_ ? 8 : 16; }

 private:
  // Nearly as `serial` does (are_few_rows_from_third_cache): by threads two rows of f64 gain by it,
  // too, and eight beside up to 12 MB, but from 16 rows on a copy of b is as fast.
  bool ask_with_avx2() const {
    const bool are_few = rows_ >= 2 && rows_ <= 15 && k_ >= 64;
    return are_few && !is_small_ && row_bytes_ % 2048 != 0 && row_bytes_ * k_ > (1 << 20) &&
           !is_far();
  }
  bool are_pages_apart() const { return row_bytes_ % 4096 == 0; }
  bool is_far() const { return cpu::is_far(row_bytes_ * k_); }
  std::size_t rows_, row_bytes_, share_, k_;
  bool is_intel_, is_small_;
};

// Whether one row, of so many columns and k steps, is made by one or two tiles: a Zen 5 reads b
// from end to end then, or half of each row, which its second cache delivers fastest.
template <class T>
bool takes_row_tiles(std::size_t rows, std::size_t columns, std::size_t k, const Way& way) {
  using Traits = HostTraits<T>;
  return vector_bytes == 64 && !computes_halves(way) && rows == 1 &&
         columns <= 2 * Traits::row_vectors * Traits::lanes &&
         columns * k * sizeof(T) <= (std::size_t(960) << 10);
}

// Whether tiles of four vectors and three rows make so many rows and vectors of c, where the first
// cache holds b and they are no more tiles: they load less for as many sums.
template <class T>
bool takes_wide_tiles(std::size_t rows, std::size_t vectors, std::size_t b_bytes) {
  using Traits = HostTraits<T>;
  constexpr std::size_t high = Traits::most_wide_rows;
  if constexpr (high > 0) {
    const auto tiles_of = [&](std::size_t most_rows, std::size_t most_vectors) {
      return (rows + most_rows - 1) / most_rows * ((vectors + most_vectors - 1) / most_vectors);
    };
    return b_bytes <= (24 << 10) && tiles_of(high, Traits::wide_vectors(high)) <=
                                        tiles_of(Traits::direct_rows, Traits::direct_vectors);
  }
  return false;
}

// Tiles of the first matrix of a batch, with b where it lies: what is left to do when a task runs.
template <class Step>
struct Call {
  Tile<Step> run;
  std::size_t rows;  // of a tile
  TileOperands<Step> at;
};

// Strips of tiles below each other, and 16 bytes or less of last columns by themselves where k is
// long enough, or 8 where a is transposed, in each of so many `slices`. Of other columns that fill
// no vector the last one overlaps the vector before it, if nothing is `added` to c.
template <class Step>
void list_calls(const Steps<Step>& steps, const Part& part, std::size_t slices, bool added,
                std::size_t steps_ahead, std::vector<Call<Step>>& calls) {
  using T = typename Step::T;
  using Traits = HostTraits<T>;
  constexpr std::size_t lanes = Traits::lanes;
  const bool asks_for_rows = steps_ahead != 0;
  const std::size_t rest = part.columns % lanes;
  const std::size_t k = steps.product.k;
  // A Zen 5, or another that computes whole vectors, two at a time.
  const Way& way = steps.product.way;
  const bool computes_two = vector_bytes == 64 && !computes_halves(way);
  const bool few_last = rest != 0 && rest * sizeof(T) <= 16 && part.columns > lanes;
  const bool along = few_last && steps.a_step == 1 && k <= Traits::panel_depth &&
                     k / slices >= std::max<std::size_t>(2, rest) * lanes;
  const bool flip = few_last && rest * sizeof(T) <= 8 && steps.a_row == 1 && steps.a_step != 1 &&
                    computes_two && part.rows >= lanes && part.rows <= 66 && k / slices >= 32;
  const std::size_t columns = part.columns - (along || flip ? rest : 0);
  const std::size_t vectors = (columns + lanes - 1) / lanes;
  // A Zen 5 had better use for many rows what of b comes from farther away than the second cache,
  // and one or two vectors for so many that no sum waits for itself.
  const bool high = computes_two && !asks_for_rows &&
                    (vectors <= Traits::high_vectors ||
                     (part.rows > Traits::direct_rows && b_is_near(steps.product)));
  const bool is_row = takes_row_tiles<T>(part.rows, columns, k, way);
  const std::size_t row_bytes = steps.product.n * sizeof(T);
  const bool is_far = cpu::is_far(row_bytes * steps.product.k);
  // What memory brings row by row is no faster by wide tiles.
  const bool wide = (part.rows <= Traits::most_wide_rows && !is_far) ||
                    takes_wide_tiles<T>(part.rows, vectors, row_bytes * k);
  const std::size_t most_vectors =
      is_row          ? Traits::row_vectors
      : wide          ? Traits::wide_vectors(std::min(part.rows, Traits::most_wide_rows))
      : high          ? Traits::high_vectors
      : asks_for_rows ? Traits::vectors
                      : Traits::direct_vectors;
  const std::size_t strips = (vectors + most_vectors - 1) / most_vectors;
  // Tiles as of a panel, where all strips are that narrow. A Zen was not measured.
  const bool as_of_panel = !high && vectors <= strips * Traits::vectors && is_intel(way);
  const std::size_t most_rows = high          ? Traits::high_rows
                                : as_of_panel ? Traits::rows
                                              : Traits::direct_rows;
  // Many sums stored at once hold up the next tile, which shows where k is short; and low tiles
  // wait for b where its strip is more than the first cache holds, most of all if it comes from
  // memory or its rows are whole pages apart and push each other out.
  const bool is_slow = b_is_near(steps.product) && (is_far || row_bytes % 4096 == 0);
  const bool is_short = (k < (computes_two ? 64 : 128)) != way.low;
  const std::size_t most = is_short ? most_rows - 1 : most_rows;
  const bool may_be_low = !computes_two || is_short || (high && !is_slow);
  const Heights heights =
      wide ? Heights(part.rows, Traits::most_wide_rows)
           : Heights::alike(part.rows, most, may_be_low ? most / 2 + 1 : most - 1);
  // Meanwhile what the next strip reads of a b that comes from memory is asked for, each tile its
  // share: the first of a strip would wait for it, and all others after that for arithmetic.
  const std::size_t depth = k / slices;
  TileOperands<Step> at = operands(steps, part, 0, k);
  at.b = steps.product.b + part.column, at.b_row = steps.product.b_row;
  for (std::size_t i = 0; i < strips; ++i) {
    const std::size_t first = cut(vectors, strips, i), end = cut(vectors, strips, i + 1);
    const bool fills = end * lanes <= columns, overlaps = !fills && columns > lanes && !added;
    const bool partial = !fills && !overlaps;
    TileOperands<Step> strip = at;
    const std::size_t last = overlaps ? columns - lanes : (end - 1) * lanes;
    const std::size_t begin = std::min(first * lanes, last);  // one vector moves as a whole
    strip.b += begin, strip.c += begin, strip.last_at = last - begin;
    if (partial) strip.set_last(columns % lanes);
    const bool asks = high && is_far && end < vectors;
    for (std::size_t tile = 0; tile < heights.tiles; tile += strip.tiles) {
      const bool higher = tile < heights.higher;
      strip.tiles = asks || asks_for_rows ? 1
                    : higher              ? heights.higher
                                          : heights.tiles - heights.higher;
      const std::size_t rows = heights.least + (higher ? 1 : 0);
      if (asks) {
        const std::size_t from = cut(depth, heights.tiles, tile);
        strip.next_stride = strip.b_row;
        strip.next_b = at.b + end * lanes + from * strip.b_row;
        strip.next_rows = cut(depth, heights.tiles, tile + 1) - from;
      }
      if (asks_for_rows) {
        // And for a line of each row of the next strip, of which there may be one more.
        const bool has_part = end < vectors && tile <= Traits::vectors;
        strip.line = at.b + (has_part ? end * lanes + tile * (64 / sizeof(T)) : 0);
        strip.line_step = has_part ? strip.b_row : 0, strip.steps_ahead = steps_ahead;
      }
      calls.push_back({is_row ? pick_tile<Step, 1, Traits::row_vectors>(1, end - first, partial)
                       : wide ? pick_wide_tile<Step>(rows, end - first, partial)
                       : high ? pick_tile<Step, Traits::high_rows, Traits::high_vectors>(
                                    rows, end - first, partial)
                       : as_of_panel ? pick_tile<Step, Traits::rows, Traits::vectors>(
                                           rows, end - first, partial)
                                     : pick_tile<Step, Traits::direct_rows, Traits::direct_vectors>(
                                           rows, end - first, partial),
                       rows, strip});
      strip.a += strip.tiles * rows * strip.a_row, strip.c += strip.tiles * rows * strip.c_row;
    }
  }
  at.last = rest, at.b += columns, at.c += columns;
  if (along) {
    at.tiles = part.rows;
    calls.push_back({run_columns<Step>, 1, at});
  } else if (flip) {
    at.last_at = part.rows;
    calls.push_back({run_flipped<Step>, part.rows, at});
  }
}

// Whether b is used where it lies: it is small, or no more than `most_rows` of a part use it.
template <class Product>
bool reads_b_in_place(const Product& product, const Deal& deal, std::size_t most_rows) {
  if (product.b_column != 1 || product.k == 0) return false;
  using T = typename Product::Sum;
  if (sizeof(*product.b) == sizeof(T) && FewRows(product, deal).stay_in_place()) return true;
  const std::size_t rows = (product.m + deal.row_cuts - 1) / deal.row_cuts;
  const std::size_t bytes = product.n * product.k * sizeof(T);
  if (is_intel(product.way) && rows > most_rows) {
    // Rows that one tile takes follow one another; what several read again and again from the
    // second cache is better copied.
    const bool is_one_tile = product.n <= HostTraits<T>::direct_vectors * HostTraits<T>::lanes;
    return is_one_tile ? bytes <= (std::size_t(3) << 19)
                       : b_is_small(product) && bytes / deal.column_cuts <= (700 << 10);
  }
  return b_is_small(product) || rows <= most_rows;
}

// So many. Many rows take a near b whose columns lie close together, on a Zen 5 if its rows do not
// push each other out of the first cache.
template <class Product>
std::size_t most_rows_in_place(const Product& product) {
  using T = typename Product::Sum;
  const std::size_t row_bytes = product.n * sizeof(T);
  if (is_intel(product.way)) return b_is_small(product) ? 32 : 0;  // FewRows has the others
  const bool zen4 = vector_bytes == 64 && computes_halves(product.way);
  if (!b_is_near(product)) return zen4 && !b_is_small(product) ? 12 : 2 * HostTraits<T>::rows;
  if (zen4) return row_bytes > (16 << 10) ? 2 * HostTraits<T>::rows : 400;
  if (row_bytes % 4096 != 0) return 100;
  if (product.k < 100) return 12;
  return cpu::is_far(product.k * row_bytes) ? 32 : 48;
}

// Of a b that is read in place: a large one comes a few whole rows at a time.
template <class Product>
std::size_t slices_in_place(const Product& product, const FewRows<Product>& few) {
  using T = typename Product::Sum;
  // All of k is read at once of a near one, and with AVX2 of 1 MB, which a Zen 4's second cache
  // holds.
  const bool is_near = b_is_near(product) ||
                       (is_avx2 && product.n * product.k * sizeof(T) <= (std::size_t(1) << 20));
  const std::size_t rows = b_is_small(product)                  ? product.k
                           : is_intel(product.way) || few.ask() ? few.of_a_slice()
                           : is_near                            ? HostTraits<T>::panel_depth
                                                                : few.whole_rows();
  return (product.k + rows - 1) / rows;
}

// How far operands lie behind those that calls were listed for.
struct Moved {
  std::ptrdiff_t a, b, c;
};

// Whether of a b that comes from the third cache or from memory a tile asks, before it runs, for
// what it reads in the next slice. Measured with AVX2.
template <class Product>
bool asks_for_next_slice(const Product& product) {
  return is_avx2 && cpu::is_far(product.n * product.k * sizeof(typename Product::Sum));
}

// The calls of a part, with k cut into slices. `bring(p, depth)` makes `depth` rows of b from p on
// ready, and returns how far they lie behind the b that the calls were listed for, beyond
// `moved.b`. Each `asks` for what it reads of the next slice of a b that lies; beyond its end that
// does no harm.
template <class Step, class Bring>
void run_calls(const std::vector<Call<Step>>& calls, std::size_t k, std::size_t slices,
               const Moved& moved, bool asks, const Bring& bring) {
  for (std::size_t slice = 0; slice < slices; ++slice) {
    const std::size_t p = cut(k, slices, slice), depth = cut(k, slices, slice + 1) - p;
    const std::ptrdiff_t b = moved.b + bring(p, depth);
    for (auto [run, rows, at] : calls) {
      at.a += moved.a + std::ptrdiff_t(p * at.a_column), at.b += b, at.c += moved.c;
      if (at.next_rows > 0) at.next_b += b;
      if (at.line) at.line += b;
      at.k = depth;
      if (slice > 0) at.beta = 1;
      for (std::size_t i = asks && slice + 1 < slices ? depth : 0; i > 0; --i)
        __builtin_prefetch(at.b + (2 * depth - i) * at.b_row, 0, 2);
      run(at);
    }
  }
}

// The calls of a whole matrix with all of k, a few tiles at a time: before each of them some of
// what the `next` one reads and writes is asked for.
template <class Step>
void run_and_ask(const std::vector<Call<Step>>& calls, const Moved& moved,
                 const Steps<Step>& next) {
  using C = typename Step::C;
  constexpr std::size_t line = 64 / sizeof(C), most_rows = 12;
  const auto tiles_of = [](const Call<Step>& call) { return std::max(most_rows / call.rows, 1UL); };
  const auto& [a, b, c, m, n, k, batch, a_row, a_column, b_row, b_column, alpha, beta, way] =
      next.product;
  std::size_t times = 0;
  for (const Call<Step>& call : calls) times += (call.at.tiles - 1) / tiles_of(call) + 1;
  const std::size_t each = (m * k + k * n + m * n) / line / times + 1;
  std::array ranges = {std::pair(b, k * n), std::pair(a, m * k),
                       std::pair<const C*, std::size_t>(c, m * n)};
  for (const Call<Step>& call : calls) {
    TileOperands<Step> at = call.at;
    at.a += moved.a, at.b += moved.b, at.c += moved.c;
    if (at.next_rows > 0) at.next_b += moved.b;
    if (at.line) at.line += moved.b;
    for (std::size_t left = call.at.tiles; left > 0; left -= at.tiles) {
      std::size_t lines = each;
      for (auto& [from, count] : ranges)
        for (; lines > 0 && count > 0; --lines, from += line, count -= std::min(line, count))
          __builtin_prefetch(from, 0, 2);
      at.tiles = std::min(tiles_of(call), left);
      call.run(at);
      at.a += at.tiles * call.rows * at.a_row, at.c += at.tiles * call.rows * at.c_row;
    }
  }
}

}  // namespace breakeven::kokkos
