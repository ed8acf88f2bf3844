// SPDX-License-Identifier: Apache-2.0
// Products on the cores of a CPU: each thread makes its own part of c from register tiles, with its
// own panels of b, and never waits for another.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "plugins/cpu_common/turn_block.hpp"
#include "tile.hpp"

namespace breakeven::kokkos {

// A rectangle of one matrix of the batch.
struct Part {
  std::size_t matrix, row, rows, column, columns;
};

// How the batch is dealt out: whole matrices, or each matrix cut into a grid of parts.
struct Deal {
  std::size_t threads, row_cuts, column_cuts;

  template <class Step, class Product>
  static Deal of(const Product& product, std::size_t threads) {
    using Traits = HostTraits<typename Step::T>;
    // Flops that take one core of a Zen 4 three microseconds, four times what two threads lose, or
    // one of a Zen 5 two.
    const double edge = Traits::many_registers && !cpu::computes_halves() ? 50 : 44;
    const double worth_two_threads = 2 * edge * edge * edge * 8 / sizeof(typename Step::T);
    const double flops = 2.0 * double(product.m) * double(product.n) * double(product.k);
    if (flops * double(product.batch) < worth_two_threads) return {1, 1, 1};
    if (product.batch >= threads || flops < worth_two_threads) {
      return {std::min(threads, product.batch), 1, 1};
    }
    if (Step::copies_b || product.b_column != 1) return shortest<Step>(product, threads);
    // Rows while all of b stays in the cache of each thread, and there are tiles of them; else
    // columns, so that each thread reads its own columns of b only, but no less than a panel of
    // them.
    Deal deal{threads, threads, 1};
    if (product.m < threads * Traits::direct_rows && product.n >= threads * 2 * Traits::lanes)
      deal = {threads, 1, threads};
    else if (product.n > Traits::direct_limit || product.k > Traits::direct_limit) {
      while (deal.row_cuts > 1 && product.n / (threads / deal.row_cuts) > Traits::panel_columns) {
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
      const std::size_t time = (largest(product.m, cuts) + rows_per_copy) *
                               std::max(largest(vectors, threads / cuts), Traits::vectors);
      if (time < least) least = time, best = {threads, cuts, threads / cuts};
    }
    return best;
  }

  // Part i of `batch` × row_cuts × column_cuts.
  template <class Step, class Product>
  Part part(const Product& product, std::size_t i) const {
    // A small product takes less time than the divisions.
    if (row_cuts == 1 && column_cuts == 1) return {i, 0, product.m, 0, product.n};
    const std::size_t column = i % column_cuts, row = i / column_cuts % row_cuts;
    const std::size_t r0 = cut(product.m, row_cuts, row), r1 = cut(product.m, row_cuts, row + 1);
    constexpr std::size_t lanes = HostTraits<typename Step::T>::lanes;
    const std::size_t vectors = (product.n + lanes - 1) / lanes;
    const std::size_t c0 = std::min(product.n, lanes * cut(vectors, column_cuts, column));
    const std::size_t c1 = std::min(product.n, lanes * cut(vectors, column_cuts, column + 1));
    return {i / column_cuts / row_cuts, r0, r1 - r0, c0, c1 - c0};
  }
};

// What of b a thread copies at a time: columns that together fit its cache, in strips of `width`;
// more of them where there are few steps, so that c is written in longer pieces.
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

// copy_panel of a b that lies along k, a block at a time that the first-level cache holds.
// `read(j, p, steps, place)` says where so many steps of column j of b lie, from step p on, as the
// panel has them; it may write them to `place`.
inline constexpr std::size_t turned_steps = 64;
template <class T, class Read>
void turn_panel(std::size_t depth0, std::size_t depth, std::size_t column0, std::size_t columns,
                std::size_t width, T* panel, const Read& read) {
  constexpr std::size_t lanes = HostTraits<T>::lanes;
  T places[lanes][turned_steps];
  for (std::size_t strip = 0; strip < columns; strip += width) {
    const std::size_t used = std::min(width, columns - strip);
    for (std::size_t p0 = 0; p0 < depth; p0 += turned_steps) {
      const std::size_t steps = std::min(turned_steps, depth - p0);
      for (std::size_t j = 0; j < used; j += lanes) {
        const std::size_t count = std::min(lanes, used - j);
        T* const to = panel + strip * depth + p0 * width + j;
        const T* from[lanes];
        for (std::size_t i = 0; i < count; ++i)
          from[i] = read(column0 + strip + j + i, depth0 + p0, steps, places[i]);
        cpu::turn_strip<vector_bytes>(from, count, steps, to, width);
      }
    }
  }
}

// Steps [depth0, depth0 + depth) of `columns` columns of b from column0 on: strips of `width`
// columns, one behind the other. Behind the last column there may be anything.
template <class Step, class Product>
void copy_panel(const Product& product, std::size_t depth0, std::size_t depth, std::size_t column0,
                std::size_t columns, std::size_t width, typename Step::T* panel) {
  using T = typename Step::T;
  if (product.b_column != 1)
    return turn_panel(depth0, depth, column0, columns, width, panel,
                      [&](std::size_t j, std::size_t p, std::size_t steps, T* place) {
                        return Step::read_b(product, j, p, steps, place);
                      });
  for (std::size_t p = 0; p < depth; ++p) {
    for (std::size_t strip = 0; strip < columns; strip += width) {
      const std::size_t used = std::min(width, columns - strip);
      Step::copy_b(product, depth0 + p, column0 + strip, used, panel + strip * depth + p * width);
    }
  }
}

// A product whose a is in steps of k: element (i, p) of its first matrix at a[i a_row + p a_step],
// the next matrix a_matrix elements behind. b and c are as they were given.
template <class Step>
struct Steps {
  using T = typename Step::T;

  Product<typename Step::C, T> product;
  const T* a;
  std::size_t a_row, a_step, a_matrix;

  Steps matrix(std::size_t i) const {
    return {product.matrix(i), a + i * a_matrix, a_row, a_step, a_matrix};
  }
};

// Rows dealt out to tiles of at most `most`, the higher ones first.
struct Heights {
  std::size_t tiles, least, higher;

  Heights(std::size_t rows, std::size_t most) : tiles((rows + most - 1) / most) { share(rows); }
  std::size_t row_of(std::size_t tile) const { return tile * least + std::min(tile, higher); }
  // A few more tiles where they are alike then, and more than half as high: one call makes them
  // all.
  static Heights alike(std::size_t rows, std::size_t most) {
    const Heights few(rows, most);
    for (Heights more = few; more.tiles < few.tiles + 6; ++more.tiles) {
      more.share(rows);
      if (more.higher == 0 && 2 * more.least > most) return more;
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

// A copied panel: its tiles row by row, so that rows of a serve every strip from the first-level
// cache. Strips lie depth × width elements apart. Meanwhile each row of tiles asks for its share of
// `next`, which is as large and copied next, or null.
template <class Step, class T>
void run_panel(const Steps<Step>& steps, const Part& part, std::size_t depth0, std::size_t depth,
               std::size_t column, std::size_t columns, const T* panel,
               const typename Step::C* next) {
  using Traits = HostTraits<T>;
  constexpr std::size_t lanes = Traits::lanes, width = Panel<Step>::width;
  const Heights heights(part.rows, Traits::rows);
  const std::size_t strips = (columns + width - 1) / width;
  TileOperands<Step> at = operands(steps, part, depth0, depth);
  at.c += column, at.b_row = width;
  std::size_t rows = 0;
  for (std::size_t i = 0; i < heights.tiles;
       ++i, at.a += rows * at.a_row, at.c += rows * at.c_row) {
    rows = heights.least + (i < heights.higher ? 1 : 0);
    TileOperands<Step> tile = at;
    if (next) {
      const std::size_t first = cut(depth, heights.tiles, i);
      tile.next_stride = steps.product.b_row;
      tile.next_b = next + first * tile.next_stride;
      tile.next_rows = cut(depth, heights.tiles, i + 1) - first;
    }
    for (std::size_t j = 0; j < strips; ++j, tile.c += width, tile.next_b += next ? width : 0) {
      const std::size_t left = columns - j * width;
      const std::size_t vectors = std::min(Traits::vectors, (left + lanes - 1) / lanes);
      const bool partial = left < vectors * lanes;
      tile.last_at = (vectors - 1) * lanes;
      if (partial) tile.set_last(left % lanes);
      // The rows that come next, where b leaves time for them; one more at most than there are.
      const bool rows_change = j + 1 == strips && i + 1 < heights.tiles;
      tile.next_a = rows_change && at.a_column == 1 ? at.a + rows * at.a_row : nullptr;
      tile.b = panel + j * depth * width;
      pick_tile<Step, Traits::rows, Traits::vectors>(rows, vectors, partial)(tile);
    }
  }
}

template <class Product>
bool b_is_small(const Product& product) {
  using Traits = HostTraits<typename Product::Sum>;
  return product.n <= Traits::direct_limit && product.k <= Traits::direct_limit;
}

// Whether b, which is not small, is better read in its place than copied by so few rows, all of k
// at once: on a Zen 4 where the third cache brings it in time, on a Zen 5 from memory too.
template <class Product>
bool b_is_near(const Product& product) {
  if (vector_bytes != 64 || b_is_small(product)) return false;
  return !cpu::computes_halves() ||
         product.n * product.k * sizeof(typename Product::Sum) <= (std::size_t(6) << 20);
}

// Tiles of the first matrix of a batch, with b where it lies: what is left to do when a task runs.
template <class Step>
struct Call {
  Tile<Step> run;
  std::size_t rows;  // of a tile
  TileOperands<Step> at;
};

// Strips of tiles below each other, and 16 bytes or less of last columns by themselves where k is
// long enough, in each of so many `slices`. Of other columns that fill no vector the last one
// overlaps the vector before it, if nothing is `added` to c.
template <class Step>
void list_calls(const Steps<Step>& steps, const Part& part, std::size_t slices, bool added,
                std::vector<Call<Step>>& calls) {
  using T = typename Step::T;
  using Traits = HostTraits<T>;
  constexpr std::size_t lanes = Traits::lanes;
  // What of b comes from farther away than the second cache a Zen 5 had better use for many rows.
  const bool high = Traits::many_registers && part.rows > Traits::rows && !cpu::computes_halves() &&
                    b_is_near(steps.product);
  const std::size_t most_rows = high ? Traits::high_rows : Traits::direct_rows;
  const std::size_t most_vectors = high ? Traits::high_vectors : Traits::direct_vectors;
  const std::size_t rest = part.columns % lanes;
  const std::size_t k = steps.product.k;
  const bool along = rest != 0 && rest * sizeof(T) <= 16 && part.columns > lanes &&
                     steps.a_step == 1 && k / slices >= std::max<std::size_t>(2, rest) * lanes &&
                     k <= Traits::panel_depth;
  const std::size_t columns = part.columns - (along ? rest : 0);
  const std::size_t vectors = (columns + lanes - 1) / lanes;
  const std::size_t strips = (vectors + most_vectors - 1) / most_vectors;
  // Many sums stored at once hold up the next tile, which shows where k is short.
  const Heights heights = Heights::alike(part.rows, k < 128 ? most_rows - 1 : most_rows);
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
    for (const bool higher : {true, false}) {
      strip.tiles = higher ? heights.higher : heights.tiles - heights.higher;
      if (strip.tiles == 0) continue;
      const std::size_t rows = heights.least + (higher ? 1 : 0);
      calls.push_back({high ? pick_tile<Step, Traits::high_rows, Traits::high_vectors>(
                                  rows, end - first, partial)
                            : pick_tile<Step, Traits::direct_rows, Traits::direct_vectors>(
                                  rows, end - first, partial),
                       rows, strip});
      strip.a += strip.tiles * rows * strip.a_row, strip.c += strip.tiles * rows * strip.c_row;
    }
  }
  if (along) {
    at.tiles = part.rows, at.last = rest, at.b += columns, at.c += columns;
    calls.push_back({run_columns<Step>, 1, at});
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
// then the next one is asked for, which finds room in the second cache beside this one. A Zen 4 was
// not measured.
template <class Step, class Product>
bool asks_for_b(const Product& product) {
  using Traits = HostTraits<typename Step::T>;
  return Traits::many_registers && !Step::copies_b && product.b_column == 1 && product.m <= 200 &&
         product.n * product.k * sizeof(typename Step::T) > (std::size_t(12) << 20) &&
         !cpu::computes_halves();
}

// Copies b, a panel at a time, to `panel`, which holds Panel(steps).elements().
template <class Step, class T>
void run_part(const Steps<Step>& all, const Part& part, T* panel) {
  const Steps<Step> steps = all.matrix(part.matrix);
  const auto& product = steps.product;
  if (product.k == 0) return scale_part<Step>(product, part);
  using Traits = HostTraits<T>;
  // As even as they get, because a narrow panel costs as much of a as a wide one.
  const std::size_t k = Step::steps(product.k);
  Panel<Step> most(k);
  const bool asks = asks_for_b<Step>(product);
  if (asks) most.columns = std::min(most.columns, Traits::panel_columns / 2);
  constexpr std::size_t width = Panel<Step>::width;
  const std::size_t strips = (part.columns + width - 1) / width;
  const std::size_t panels = (part.columns + most.columns - 1) / most.columns;
  const std::size_t slices = (k + most.depth - 1) / most.depth;
  for (std::size_t s = 0; s < slices; ++s) {
    const std::size_t p = cut(k, slices, s);
    const std::size_t depth = cut(k, slices, s + 1) - p;
    for (std::size_t i = 0; i < panels; ++i) {
      const std::size_t j = width * cut(strips, panels, i);
      const std::size_t end = std::min(width * cut(strips, panels, i + 1), part.columns);
      copy_panel<Step>(product, p, depth, part.column + j, end - j, width, panel);
      const bool is_last = i + 1 == panels;
      const typename Step::C* next = nullptr;
      if (asks && (!is_last || s + 1 < slices))
        next = product.b + part.column +
               (is_last ? (p + depth) * product.b_row : p * product.b_row + end);
      run_panel<Step, T>(steps, part, p, depth, j, end - j, panel, next);
    }
  }
}

// Whether b is used where it lies: it is small, or no more than `most_rows` of a part use it.
template <class Product>
bool reads_b_in_place(const Product& product, const Deal& deal, std::size_t most_rows) {
  if (product.b_column != 1 || product.k == 0) return false;
  return b_is_small(product) || (product.m + deal.row_cuts - 1) / deal.row_cuts <= most_rows;
}

// So many. Many rows take a near b whose columns lie close together, on a Zen 5 if its rows do not
// push each other out of the first cache.
template <class Product>
std::size_t most_rows_in_place(const Product& product) {
  using T = typename Product::Sum;
  const std::size_t row_bytes = product.n * sizeof(T);
  if (!b_is_near(product)) return 2 * HostTraits<T>::rows;
  if (cpu::computes_halves()) return row_bytes > (16 << 10) ? 2 * HostTraits<T>::rows : 400;
  return row_bytes % 4096 == 0 ? 12 : 100;
}

// One row of a b that comes from the last cache or from memory.
template <class Product>
bool is_long_row(const Product& product) {
  return product.m == 1 && product.n > HostTraits<typename Product::Sum>::panel_columns &&
         !b_is_small(product);
}

// So few columns that sums along k take less time.
template <class Product>
bool is_narrow(const Product& product) {
  using T = typename Product::Sum;
  return product.n <= HostTraits<T>::most_narrow && product.a_column == 1 &&
         product.b_column == 1 && product.k >= (product.n > 2 ? 2 : 1) * vector_bytes / sizeof(T);
}

// If c is a vector, which lies the same either way.
template <class Product>
Product transposed(Product product) {
  std::swap(product.a, product.b), std::swap(product.m, product.n);
  std::swap(product.a_row, product.b_column), std::swap(product.a_column, product.b_row);
  return product;
}

// If c is a vector, the transposed product where that makes the matrix row-major.
template <class Product>
Product as_it_lies(Product product) {
  if ((product.m == 1 && product.b_column != 1) || (product.n == 1 && product.a_column != 1))
    product = transposed(product);
  if (product.m == 1) product.a_row = product.k, product.a_column = 1;
  if (product.n == 1) product.b_row = product.b_column = 1;
  return product;
}

// So few rows of c, `most`, of operands that lie along k, that to turn b round takes longer than to
// sum. The shorter the sums, the more of their time it takes to add up their vectors.
template <class Product>
bool is_flat_along(const Product& product, std::size_t most) {
  return product.m <= most && product.a_column == 1 && product.b_column != 1 &&
         product.k >= 2 * vector_bytes / sizeof(typename Product::Sum);
}

// The parts of `deal`, each by `run(thread, part)`.
template <class Run>
std::unique_ptr<Task> share_out(const Deal& deal, std::size_t parts, const Target& target,
                                const Run& run) {
  using Policy = Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Static>, std::size_t>;
  return make_task(
      [=, threads = deal.threads, space = target.space] {
        const auto share = [&](std::size_t thread) {
          const std::size_t end = cut(parts, threads, thread + 1);
          for (std::size_t i = cut(parts, threads, thread); i < end; ++i) run(thread, i);
        };
        if (threads == 1) return share(0);
        Kokkos::parallel_for(Policy(space, 0, threads), share);
      },
      own("gemm", target, deal.threads));
}

// Of a b that is read in place: a large one comes a few whole rows at a time, as memory brings
// them.
template <class Product>
std::size_t slices_in_place(const Product& product) {
  const std::size_t depth = HostTraits<typename Product::Sum>::panel_depth;
  const std::size_t rows = b_is_small(product) ? product.k : b_is_near(product) ? depth : 16;
  return (product.k + rows - 1) / rows;
}

// How far operands lie behind those that calls were listed for.
struct Moved {
  std::ptrdiff_t a, b, c;
};

// The calls of a part, with k cut into slices. `bring(p, depth)` makes `depth` rows of b from p on
// ready, and returns how far they lie behind the b that the calls were listed for, beyond
// `moved.b`.
template <class Step, class Bring>
void run_calls(const std::vector<Call<Step>>& calls, std::size_t k, std::size_t slices,
               const Moved& moved, const Bring& bring) {
  for (std::size_t slice = 0; slice < slices; ++slice) {
    const std::size_t p = cut(k, slices, slice), depth = cut(k, slices, slice + 1) - p;
    const std::ptrdiff_t b = moved.b + bring(p, depth);
    for (auto [run, rows, at] : calls) {
      at.a += moved.a + std::ptrdiff_t(p * at.a_column), at.b += b, at.c += moved.c;
      at.k = depth;
      if (slice > 0) at.beta = 1;
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
  const auto& [a, b, c, m, n, k, batch, a_row, a_column, b_row, b_column, alpha, beta] =
      next.product;
  std::size_t times = 0;
  for (const Call<Step>& call : calls) times += (call.at.tiles - 1) / tiles_of(call) + 1;
  const std::size_t each = (m * k + k * n + m * n) / line / times + 1;
  std::array ranges = {std::pair(b, k * n), std::pair(a, m * k),
                       std::pair<const C*, std::size_t>(c, m * n)};
  for (const Call<Step>& call : calls) {
    TileOperands<Step> at = call.at;
    at.a += moved.a, at.b += moved.b, at.c += moved.c;
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

// What can be decided is decided here, which takes longer than a small product.
template <class Step>
std::unique_ptr<Task> launch_in_place(const Steps<Step>& steps, const Deal& deal,
                                      const Target& target) {
  using T = typename Step::T;
  const std::size_t cuts = deal.row_cuts * deal.column_cuts, parts = steps.product.batch * cuts;
  const std::size_t k = steps.product.k;
  if (is_long_row(steps.product))
    return share_out(deal, parts, target,
                     [=, by_columns = Deal{deal.threads, 1, cuts}](std::size_t, std::size_t i) {
                       const Part part = by_columns.part<Step>(steps.product, i);
                       const Steps<Step> matrix = steps.matrix(part.matrix);
                       TileOperands<Step> at = operands(matrix, part, 0, k);
                       at.b_row = matrix.product.b_row;
                       run_row(at, part.columns, matrix.product.b + part.column,
                               [](const T* b, std::size_t count) { return Step::load(b, count); });
                     });
  const std::size_t slices = slices_in_place(steps.product);
  const bool added = slices > 1 || steps.product.beta != 0;
  std::vector<std::vector<Call<Step>>> calls(cuts);
  for (std::size_t i = 0; i < cuts; ++i)
    list_calls(steps, deal.part<Step>(steps.product, i), slices, added, calls[i]);
  if (parts == 1 && slices == 1)
    return make_task(
        [calls = std::move(calls.front())] {
          for (const auto& call : calls) call.run(call.at);
        },
        own("gemm", target, 1));
  const std::size_t m = steps.product.m, n = steps.product.n;
  const std::size_t bytes = (m * k + k * n + m * n) * sizeof(T);
  // What the caches hold, and small matrices, come in time by themselves. A Zen 4 was not measured.
  const bool asks = vector_bytes == 64 && !cpu::computes_halves() && cuts == 1 && slices == 1 &&
                    bytes > (48 << 10) && bytes * parts > (std::size_t(14) << 20);
  return share_out(deal, parts, target, [=](std::size_t, std::size_t i) {
    const Steps<Step> matrix = steps.matrix(i / cuts);
    const Moved moved{matrix.a - steps.a, matrix.product.b - steps.product.b,
                      matrix.product.c - steps.product.c};
    if (asks && i + 1 < parts) return run_and_ask(calls.front(), moved, steps.matrix(i + 1));
    run_calls(calls[i % cuts], k, slices, moved,
              [&](std::size_t p, std::size_t) { return std::ptrdiff_t(p * matrix.product.b_row); });
  });
}

// Rows of a narrow c, in slices of k that sum_along takes.
template <class Step>
std::unique_ptr<Task> launch_narrow(const Steps<Step>& steps, const Deal& deal,
                                    const Target& target) {
  using T = typename Step::T;
  const auto& product = steps.product;
  const std::size_t cuts = deal.row_cuts * deal.column_cuts;
  const std::size_t slices = (product.k - 1) / HostTraits<T>::panel_depth + 1;
  return share_out(deal, product.batch * cuts, target,
                   [=, by_rows = Deal{deal.threads, cuts, 1}](std::size_t, std::size_t i) {
                     const Part part = by_rows.part<Step>(steps.product, i);
                     const Steps<Step> matrix = steps.matrix(part.matrix);
                     const std::size_t k = matrix.product.k;
                     TileOperands<Step> at = operands(matrix, part, 0, k);
                     at.tiles = part.rows, at.last = matrix.product.n;
                     at.b_row = matrix.product.b_row;
                     for (std::size_t slice = 0; slice < slices; ++slice, at.beta = 1) {
                       const std::size_t p = cut(k, slices, slice);
                       at.k = cut(k, slices, slice + 1) - p;
                       at.b = matrix.product.b + p * at.b_row;
                       run_columns(at);
                       at.a += at.k;
                     }
                   });
}

// As if c were transposed: rows of b times all rows of a.
template <class T>
std::unique_ptr<Task> launch_flat(const Product<T>& product, const Target& target) {
  const auto threads = static_cast<std::size_t>(target.space.concurrency());
  const Deal deal = Deal::of<OneStep<T>>(product, threads);
  const std::size_t cuts = deal.row_cuts * deal.column_cuts;
  return share_out(deal, product.batch * cuts, target,
                   [=, by_columns = Deal{deal.threads, 1, cuts}](std::size_t, std::size_t i) {
                     const Part part = by_columns.part<OneStep<T>>(product, i);
                     const auto& [a, b, c, m, n, k, batch, a_row, a_column, b_row, b_column, alpha,
                                  beta] = product.matrix(part.matrix);
                     run_dot_products<T>(part.columns, m,
                                         {k, b + part.column * b_column, b_column, a, a_row,
                                          c + part.column, 1, n, alpha, beta});
                   });
}

template <class Step>
std::unique_ptr<Task> launch_steps(const Steps<Step>& steps, const Target& target) {
  const auto& product = steps.product;
  const auto threads = static_cast<std::size_t>(target.space.concurrency());
  const Deal deal = Deal::of<Step>(product, threads);
  if constexpr (!Step::copies_b) {
    if (is_narrow(product)) return launch_narrow(steps, deal, target);
    if (reads_b_in_place(product, deal, most_rows_in_place(product)))
      return launch_in_place(steps, deal, target);
  }
  const std::size_t panel = Panel<Step>(Step::steps(product.k)).elements();
  const Workspace<typename Step::T> panels(deal.threads * panel, target);
  return share_out(deal, product.batch * deal.row_cuts * deal.column_cuts, target,
                   [=](std::size_t thread, std::size_t i) {
                     run_part(steps, deal.part<Step>(steps.product, i),
                              panels.data() + thread * panel);
                   });
}

template <class T>
std::unique_ptr<Task> launch_straight(const Product<T>& asked, const Target& target) {
  const Product<T> product = as_it_lies(asked);
  if (is_flat_along(product, std::min(HostTraits<T>::most_along, product.k / 5)))
    return launch_flat(product, target);
  return launch_steps<OneStep<T>>(
      {product, product.a, product.a_row, product.a_column, product.m * product.k}, target);
}

// Whether it is faster to turn round c of the transposed product, if that is not large, for an a
// that is transposed: it is for columns that leave a quarter of a vector empty, or where few rows
// use a b that would have to be turned round.
template <class Product>
bool turns_c(const Product& product) {
  using Traits = HostTraits<typename Product::Sum>;
  const auto& [a, b, c, m, n, k, batch, a_row, a_column, b_row, b_column, alpha, beta] = product;
  const bool is_large = m * n * sizeof(typename Product::Sum) > (std::size_t(2) << 20);
  if (a_column == 1 || m == 1 || n == 1 || is_large) return false;
  if (4 * n <= 3 * Traits::lanes && m >= Traits::lanes && k >= 16) return true;
  const std::size_t most = Traits::many_registers ? 100 : std::clamp<std::size_t>(n / 4, 24, 100);
  return b_column != 1 && m <= std::min(n, most) && 2 * k >= m;
}

template <class T>
std::unique_ptr<Task> launch_turned(const Product<T>& product, const Target& target) {
  const std::size_t m = product.m, n = product.n, elements = m * n;
  const Workspace<T> turned(product.batch * elements, target);
  Product<T> other = transposed(product);
  other.c = turned.data();
  const std::shared_ptr<Task> multiply = launch_straight(other, target);
  return make_task(
      [=] {
        const auto each = [&](const auto& turn) {
          for (std::size_t i = 0; i < product.batch * elements; i += elements)
            turn(product.c + i, turned.data() + i);
        };
        if (product.beta != 0)
          each([&](const T* c, T* to) { cpu::transpose<vector_bytes>(m, n, c, n, to); });
        multiply->enqueue();
        each([&](T* c, const T* from) { cpu::transpose<vector_bytes>(n, m, from, m, c); });
      },
      multiply->info());
}

template <class T, class Sum>
std::unique_ptr<Task> launch(const Product<T, Sum>& product, const Target& target) {
  return turns_c(product) ? launch_turned(product, target) : launch_straight(product, target);
}

}  // namespace breakeven::kokkos
