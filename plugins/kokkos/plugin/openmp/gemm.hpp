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

  template <class T>
  static Deal of(const Product<T>& product, std::size_t threads) {
    using Traits = HostTraits<T>;
    constexpr double worth_two_threads = 2.0 * 64 * 64 * 64;  // flops in about a microsecond
    const double flops = 2.0 * double(product.m) * double(product.n) * double(product.k);
    if (flops * double(product.batch) < worth_two_threads) return {1, 1, 1};
    if (product.batch >= threads || flops < worth_two_threads) {
      return {std::min(threads, product.batch), 1, 1};
    }
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

  // Part i of `batch` × row_cuts × column_cuts.
  template <class T>
  Part part(const Product<T>& product, std::size_t i) const {
    const std::size_t column = i % column_cuts, row = i / column_cuts % row_cuts;
    const std::size_t r0 = cut(product.m, row_cuts, row), r1 = cut(product.m, row_cuts, row + 1);
    constexpr std::size_t lanes = HostTraits<T>::lanes;
    const std::size_t vectors = (product.n + lanes - 1) / lanes;
    const std::size_t c0 = std::min(product.n, lanes * cut(vectors, column_cuts, column));
    const std::size_t c1 = std::min(product.n, lanes * cut(vectors, column_cuts, column + 1));
    return {i / column_cuts / row_cuts, r0, r1 - r0, c0, c1 - c0};
  }
};

// Elements of T a thread needs for its panel of b.
template <class T>
inline constexpr std::size_t panel_elements =
    HostTraits<T>::panel_depth* HostTraits<T>::panel_columns;

// Rows [depth0, depth0 + depth) and `columns` columns of b from column0 on: strips of `width`
// columns, one behind the other, zeros behind the last column.
template <class T>
void copy_panel(const Product<T>& product, std::size_t depth0, std::size_t depth,
                std::size_t column0, std::size_t columns, std::size_t width, T* panel) {
  const std::size_t padded = (columns + width - 1) / width * width;
  const T* const first = product.b + depth0 * product.b_row + column0 * product.b_column;
  for (std::size_t p = 0; p < depth; ++p) {
    const T* const from = first + p * product.b_row;
    const T* const ahead =
        first + std::min(p + HostTraits<T>::b_rows_ahead, depth - 1) * product.b_row;
    for (std::size_t strip = 0; strip < padded; strip += width) {
      T* const to = panel + strip * depth + p * width;
      const std::size_t used = std::min(width, columns - strip);
      if (product.b_column == 1) {
        for (std::size_t j = 0; j < used; j += 64 / sizeof(T)) {
          __builtin_prefetch(ahead + strip + j);
        }
        std::copy_n(from + strip, used, to);
      } else {
        for (std::size_t j = 0; j < used; ++j) to[j] = from[(strip + j) * product.b_column];
      }
      std::fill(to + used, to + width, T(0));
    }
  }
}

// One panel: its tiles row by row, so that rows of a serve every strip from the first-level cache.
// Strips lie `strip` elements apart at b, their rows b_row elements.
template <class Step, class T>
void run_panel(const Product<T>& product, const Part& part, std::size_t depth0, std::size_t depth,
               std::size_t column0, std::size_t columns, const T* b, std::size_t b_row,
               std::size_t strip, std::size_t most_rows, std::size_t strip_vectors) {
  using Traits = HostTraits<T>;
  constexpr std::size_t lanes = Traits::lanes;
  const std::size_t row_panels = (part.rows + most_rows - 1) / most_rows;
  const std::size_t strips = (columns + strip_vectors * lanes - 1) / (strip_vectors * lanes);
  TileOperands<T> at{};
  at.a_row = product.a_row, at.a_column = product.a_column, at.b_row = b_row;
  at.c_row = product.n, at.k = depth, at.alpha = product.alpha;
  at.beta = depth0 == 0 ? product.beta : T(1);
  for (std::size_t i = 0; i < row_panels; ++i) {
    const std::size_t row = part.row + cut(part.rows, row_panels, i);
    const std::size_t rows = part.row + cut(part.rows, row_panels, i + 1) - row;
    at.a = product.a + row * product.a_row + depth0 * product.a_column;
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
      if (strip_vectors == Traits::vectors) {
        pick_tile<Step, T, Traits::rows, Traits::vectors>(rows, vectors, partial)(at);
      } else {
        pick_tile<Step, T, Traits::direct_rows, Traits::direct_vectors>(rows, vectors, partial)(at);
      }
    }
  }
}

// `panel` holds panel_elements<T>.
template <class Step, class T>
void run_part(const Product<T>& whole, const Part& part, T* panel) {
  using Traits = HostTraits<T>;
  const Product<T> product = whole.matrix(part.matrix);
  if (product.k == 0) {
    for (std::size_t i = part.row; i < part.row + part.rows; ++i) {
      for (std::size_t j = part.column; j < part.column + part.columns; ++j) {
        T& c = product.c[i * product.n + j];
        c = product.beta == T(0) ? T(0) : product.beta * c;
      }
    }
    return;
  }
  const bool direct = product.b_column == 1 &&
                      ((product.n <= Traits::direct_limit && product.k <= Traits::direct_limit) ||
                       part.rows <= 2 * Traits::rows);
  if (direct) {
    const std::size_t vectors = (part.columns + Traits::lanes - 1) / Traits::lanes;
    const std::size_t strips = (vectors + Traits::direct_vectors - 1) / Traits::direct_vectors;
    for (std::size_t i = 0; i < strips; ++i) {
      const std::size_t j = cut(vectors, strips, i) * Traits::lanes;
      const std::size_t end = std::min(cut(vectors, strips, i + 1) * Traits::lanes, part.columns);
      run_panel<Step>(product, part, 0, product.k, part.column + j, end - j,
                      product.b + part.column + j, product.b_row, 0, Traits::direct_rows,
                      Traits::direct_vectors);
    }
    return;
  }
  // As even as they get, because a narrow panel costs as much of a as a wide one.
  constexpr std::size_t width = Traits::vectors * Traits::lanes;
  static_assert(Traits::panel_columns % width == 0);
  const std::size_t strips = (part.columns + width - 1) / width;
  const std::size_t panels = (part.columns + Traits::panel_columns - 1) / Traits::panel_columns;
  const std::size_t slices = (product.k + Traits::panel_depth - 1) / Traits::panel_depth;
  for (std::size_t s = 0; s < slices; ++s) {
    const std::size_t p = cut(product.k, slices, s);
    const std::size_t depth = cut(product.k, slices, s + 1) - p;
    for (std::size_t i = 0; i < panels; ++i) {
      const std::size_t j = width * cut(strips, panels, i);
      const std::size_t end = std::min(width * cut(strips, panels, i + 1), part.columns);
      copy_panel(product, p, depth, part.column + j, end - j, width, panel);
      run_panel<Step>(product, part, p, depth, part.column + j, end - j, panel, width,
                      depth * width, Traits::rows, Traits::vectors);
    }
  }
}

template <class Step, class T>
std::unique_ptr<Task> launch_with(const Product<T>& product, const Target& target) {
  const auto threads = static_cast<std::size_t>(target.space.concurrency());
  const Deal deal = Deal::of(product, threads);
  const std::size_t parts = product.batch * deal.row_cuts * deal.column_cuts;
  const Workspace<T> panels(deal.threads * panel_elements<T>, target);
  const auto run = [=](std::size_t thread) {
    const std::size_t end = cut(parts, deal.threads, thread + 1);
    for (std::size_t i = cut(parts, deal.threads, thread); i < end; ++i) {
      run_part<Step>(product, deal.part(product, i), panels.data() + thread * panel_elements<T>);
    }
  };
  const TaskInfo info = own("gemm", target, deal.threads);
  if (deal.threads == 1) return make_task([=] { run(0); }, info);
  using Policy = Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Static>, std::size_t>;
  return make_task(
      [=, space = target.space] { Kokkos::parallel_for(Policy(space, 0, deal.threads), run); },
      info);
}

template <class T, class Sum>
std::unique_ptr<Task> launch(const Product<T, Sum>& product, const Target& target) {
  return launch_with<OneStep>(product, target);
}

}  // namespace breakeven::kokkos
