// SPDX-License-Identifier: Apache-2.0
// Products on the cores of a CPU: each thread makes its own part of c from register tiles, with its
// own panels of b, and never waits for another.
#pragma once

#include <algorithm>

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
    constexpr double worth_two_threads = 2.0 * 64 * 64 * 64;  // flops in about a microsecond
    const double flops = 2.0 * double(product.m) * double(product.n) * double(product.k);
    if (flops * double(product.batch) < worth_two_threads) return {1, 1, 1};
    if (product.batch >= threads || flops < worth_two_threads) {
      return {std::min(threads, product.batch), 1, 1};
    }
    if constexpr (Step::copies_b) return shortest<Step>(product, threads);
    // Rows while all of b stays in the cache of each thread; else columns, so that each thread
    // copies its own columns of b only, but no less than a panel of them.
    Deal deal{threads, threads, 1};
    if (product.n > Traits::direct_limit || product.k > Traits::direct_limit) {
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

// What of b a thread copies at a time: columns that together fit its cache, in strips of `width`.
template <class Step>
struct Panel {
  using Traits = HostTraits<typename Step::T>;
  static constexpr std::size_t width = Traits::vectors * Traits::lanes;
  static_assert(Traits::panel_columns % width == 0);

  std::size_t depth = Traits::panel_depth, columns = Traits::panel_columns;

  explicit Panel(std::size_t steps) {
    if (Step::whole_k && steps > depth) depth = steps, columns = width;
  }
  std::size_t elements() const { return depth * columns; }
};

// Steps [depth0, depth0 + depth) of `columns` columns of b from column0 on: strips of `width`
// columns, one behind the other, zeros behind the last column.
template <class Step, class Product>
void copy_panel(const Product& product, std::size_t depth0, std::size_t depth, std::size_t column0,
                std::size_t columns, std::size_t width, typename Step::T* panel) {
  for (std::size_t p = 0; p < depth; ++p) {
    for (std::size_t strip = 0; strip < columns; strip += width) {
      auto* const to = panel + strip * depth + p * width;
      const std::size_t used = std::min(width, columns - strip);
      Step::copy_b(product, depth0 + p, column0 + strip, used, to);
      std::fill(to + used, to + width, 0);
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

// One panel: its tiles row by row, so that rows of a serve every strip from the first-level cache.
// Strips lie `strip` elements apart at b, their rows b_row elements; direct: b is no copy.
template <bool direct, class Step, class T>
void run_panel(const Steps<Step>& steps, const Part& part, std::size_t depth0, std::size_t depth,
               std::size_t column0, std::size_t columns, const T* b, std::size_t b_row,
               std::size_t strip) {
  using Traits = HostTraits<T>;
  constexpr std::size_t lanes = Traits::lanes;
  constexpr std::size_t most_rows = direct ? Traits::direct_rows : Traits::rows;
  constexpr std::size_t strip_vectors = direct ? Traits::direct_vectors : Traits::vectors;
  const auto& product = steps.product;
  const std::size_t row_panels = (part.rows + most_rows - 1) / most_rows;
  const std::size_t least_rows = row_panels == 0 ? 0 : part.rows / row_panels;
  const std::size_t higher_panels = part.rows - least_rows * row_panels;
  const std::size_t strips = (columns + strip_vectors * lanes - 1) / (strip_vectors * lanes);
  TileOperands<Step> at{};
  at.a_row = steps.a_row, at.a_column = steps.a_step, at.b_row = b_row;
  at.c_row = product.n, at.k = depth, at.alpha = product.alpha;
  at.beta = depth0 == 0 ? product.beta : T(1);
  std::size_t row = part.row, rows = 0;
  for (std::size_t i = 0; i < row_panels; ++i, row += rows) {
    rows = least_rows + (i < higher_panels ? 1 : 0);
    at.a = steps.a + row * steps.a_row + depth0 * steps.a_step;
    for (std::size_t j = 0; j < strips; ++j) {
      const std::size_t left = columns - j * strip_vectors * lanes;
      const std::size_t vectors = std::min(strip_vectors, (left + lanes - 1) / lanes);
      const bool partial = left < vectors * lanes;
      // The rows that come next, where b leaves time for them; one more at most than there are.
      const bool rows_change = strip != 0 && j + 1 == strips && i + 1 < row_panels;
      at.last = partial ? left % lanes : lanes;
      at.next_a = rows_change && at.a_column == 1 ? at.a + rows * at.a_row : nullptr;
      at.b = b + j * strip;
      at.c = product.c + row * product.n + column0 + j * strip_vectors * lanes;
      pick_tile<Step, most_rows, strip_vectors>(rows, vectors, partial)(at);
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

// `panel` holds Panel(steps).elements().
template <class Step, class T>
void run_part(const Steps<Step>& all, const Part& part, T* panel) {
  using Traits = HostTraits<T>;
  const Steps<Step> steps = all.matrix(part.matrix);
  const auto& product = steps.product;
  if (product.k == 0) return scale_part<Step>(product, part);
  if constexpr (!Step::copies_b) {
    const bool small = product.n <= Traits::direct_limit && product.k <= Traits::direct_limit;
    if (product.b_column == 1 && (small || part.rows <= 2 * Traits::rows)) {
      const std::size_t vectors = (part.columns + Traits::lanes - 1) / Traits::lanes;
      const std::size_t strips = (vectors + Traits::direct_vectors - 1) / Traits::direct_vectors;
      for (std::size_t i = 0; i < strips; ++i) {
        const bool whole = strips == 1;
        const std::size_t j = whole ? 0 : cut(vectors, strips, i) * Traits::lanes;
        const std::size_t end =
            whole ? part.columns
                  : std::min(cut(vectors, strips, i + 1) * Traits::lanes, part.columns);
        run_panel<true>(steps, part, 0, product.k, part.column + j, end - j,
                        product.b + part.column + j, product.b_row, 0);
      }
      return;
    }
  }
  // As even as they get, because a narrow panel costs as much of a as a wide one.
  const std::size_t k = Step::steps(product.k);
  const Panel<Step> most(k);
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
      run_panel<false, Step, T>(steps, part, p, depth, part.column + j, end - j, panel, width,
                                depth * width);
    }
  }
}

template <class Step>
std::unique_ptr<Task> launch_steps(const Steps<Step>& steps, const Target& target) {
  const auto& product = steps.product;
  const auto threads = static_cast<std::size_t>(target.space.concurrency());
  const Deal deal = Deal::of<Step>(product, threads);
  const std::size_t parts = product.batch * deal.row_cuts * deal.column_cuts;
  const std::size_t panel = Panel<Step>(Step::steps(product.k)).elements();
  const Workspace<typename Step::T> panels(deal.threads * panel, target);
  const auto run = [=](std::size_t thread, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      run_part(steps, deal.part<Step>(steps.product, i), panels.data() + thread * panel);
  };
  const TaskInfo info = own("gemm", target, deal.threads);
  if (deal.threads == 1) return make_task([=] { run(0, 0, parts); }, info);
  using Policy = Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Static>, std::size_t>;
  return make_task(
      [=, space = target.space] {
        Kokkos::parallel_for(Policy(space, 0, deal.threads), [&](std::size_t thread) {
          run(thread, cut(parts, deal.threads, thread), cut(parts, deal.threads, thread + 1));
        });
      },
      info);
}

template <class T, class Sum>
std::unique_ptr<Task> launch(const Product<T, Sum>& product, const Target& target) {
  return launch_steps<OneStep<T>>(
      {product, product.a, product.a_row, product.a_column, product.m * product.k}, target);
}

}  // namespace breakeven::kokkos
