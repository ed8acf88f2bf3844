// SPDX-License-Identifier: Apache-2.0
// Products on the cores of a CPU: each part of c is made from register tiles by one thread, which
// never waits for another. Here is chosen how, of operands as they lie.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "in_place.hpp"
#include "plugins/cpu_common/narrow_rows.hpp"
#include "plugins/cpu_common/row.hpp"
#include "shares.hpp"

namespace breakeven::kokkos {

// One row of a b that comes from the last cache or from memory.
template <class Product>
bool is_long_row(const Product& product) {
  return product.m == 1 && product.n > HostTraits<typename Product::Sum>::panel_columns &&
         !b_is_small(product);
}

// Whether one row is made of whole rows of b, of which each thread has its share: a Zen 4, and with
// AVX2 any processor, reads short ones so; others what the third cache holds and is more for each
// thread than the second one does.
template <class Product>
bool is_read_row_by_row(const Product& product, std::size_t threads) {
  const std::size_t row_bytes = product.n * sizeof(typename Product::Sum);
  const std::size_t bytes = row_bytes * product.k;
  if (vector_bytes < 32 || product.m != 1 || product.batch != 1 || product.b_column != 1 ||
      product.k < threads)
    return false;
  if (comes_late(product.way))
    return threads > 1 && row_bytes >= 256 && row_bytes <= 6144 && bytes >= threads * 100'000 &&
           bytes <= 10'000'000;
  return row_bytes <= (24 << 10) && is_long_row(product) && cpu::comes_from_third_cache(bytes) &&
         cpu::comes_from_third_cache(bytes / threads);
}

// Rows of so few columns that a vector holds several steps of them.
template <class T>
using NarrowRows = cpu::NarrowRows<HostTarget, T, vector_bytes>;
template <class T>
bool may_be_narrow_rows(const Product<T>& product) {
  return product.a_column == 1 && product.b_column == 1 &&
         NarrowRows<T>::may_be(product.m, product.n, product.k);
}
template <class T>
bool are_narrow_rows(const Product<T>& product) {
  return may_be_narrow_rows(product) &&
         NarrowRows<T>::are_better(product.m, product.n, product.k) != product.way.by_rows;
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
  return make_task([shares = Shares(parts, deal.threads), run,
                    space = target.space] { shares.make(space, run); },
                   own(target.gemm, target, deal.threads));
}

// Each thread reads whole rows of b, from end to end, and makes a c of its own by
// run(k, alpha, a, b, beta, c), the first one the c that is asked for. They are added up at the
// end.
template <class T, class Run>
std::unique_ptr<Task> launch_steps_apart(const Product<T>& product, std::size_t threads,
                                         const Run& run, const Target& target) {
  constexpr std::size_t lanes = HostTraits<T>::lanes;
  const std::size_t all = product.m * product.n, stride = (all + lanes - 1) / lanes * lanes;
  const Workspace<T> others((threads - 1) * stride, target);
  const auto c_of = [=](std::size_t thread) { return others.data() + (thread - 1) * stride; };
  const std::shared_ptr<Task> multiply =
      share_out({threads, 1, 1}, threads, target, [=](std::size_t thread, std::size_t) {
        const std::size_t p = cut(product.k, threads, thread);
        run(cut(product.k, threads, thread + 1) - p, product.alpha, product.a + p,
            product.b + p * product.n, thread == 0 ? product.beta : 0,
            thread == 0 ? product.c : c_of(thread));
      });
  return make_task(
      [=] {
        multiply->enqueue();
        for (std::size_t thread = 1; thread < threads; ++thread)
          for (std::size_t j = 0; j < all; ++j) product.c[j] += c_of(thread)[j];
      },
      multiply->info());
}

// One row, on a Zen 4 and with AVX2 by four rows of b at a time.
template <class T>
std::unique_ptr<Task> launch_row(const Product<T>& product, std::size_t threads,
                                 const Target& target) {
  const auto run = comes_late(product.way) ? &cpu::Row<HostTarget, T, vector_bytes, 4>::product
                                           : &cpu::Row<HostTarget, T, vector_bytes, 1>::product;
  return launch_steps_apart(
      product, threads,
      [=, n = product.n](std::size_t k, T alpha, const T* a, const T* b, T beta, T* c) {
        run(n, k, alpha, a, b, beta, c);
      },
      target);
}

// Each thread has 256 steps or more, if it has a part of a matrix.
template <class T>
std::unique_ptr<Task> launch_narrow_rows(const Product<T>& product, const Deal& deal,
                                         const Target& target) {
  const auto run = [m = product.m, row_a = product.a_row,
                    rows = NarrowRows<T>::of_columns[product.n - 2]](
                       std::size_t k, T alpha, const T* a, const T* b, T beta, T* c) {
    rows(m, k, alpha, a, row_a, b, beta, c);
  };
  const std::size_t threads = std::min(deal.threads, product.k / 256);
  if (product.batch == 1 && threads > 1) return launch_steps_apart(product, threads, run, target);
  return share_out(deal, product.batch, target, [=](std::size_t, std::size_t i) {
    const Product<T> one = product.matrix(i);
    run(one.k, one.alpha, one.a, one.b, one.beta, one.c);
  });
}

// Rows of a few steps, one by one.
template <class T>
std::unique_ptr<Task> launch_rows(const Product<T>& product, const Deal& deal,
                                  const Target& target) {
  const std::size_t cuts = deal.row_cuts * deal.column_cuts;
  return share_out(deal, product.batch * cuts, target,
                   [=, by_rows = Deal{deal.threads, cuts, 1},
                    run = cpu::Rows<HostTarget, T, vector_bytes>::of_steps[product.k - 1]](
                       std::size_t, std::size_t i) {
                     const Part part = by_rows.part<OneStep<T>>(product, i);
                     const Product<T> one = product.matrix(part.matrix);
                     run(part.rows, one.n, one.alpha, one.a + part.row * one.a_row, one.a_row,
                         one.a_column, one.b, one.beta, one.c + part.row * one.n);
                   });
}

// What can be decided is decided here, which takes longer than a small product.
template <class Step>
std::unique_ptr<Task> launch_in_place(const Steps<Step>& steps, const Deal& asked,
                                      const Target& target) {
  using T = typename Step::T;
  const std::size_t cuts = asked.row_cuts * asked.column_cuts, parts = steps.product.batch * cuts;
  const Deal deal = steps.product.m == 1 ? Deal{asked.threads, 1, cuts} : asked;
  const std::size_t k = steps.product.k;
  if (is_long_row(steps.product) &&
      !takes_row_tiles<T>(1, (steps.product.n - 1) / cuts + 1, k, steps.product.way)) {
    constexpr std::size_t lanes = HostTraits<T>::lanes;
    // What memory brings is read by more rows at once. Others than these were not measured.
    const bool in_parts =
        comes_late(steps.product.way) && steps.product.n * k * sizeof(T) <= (std::size_t(16) << 20);
    const auto run = in_parts ? &cpu::Row<HostTarget, T, vector_bytes, 4>::product_in_parts
                              : &cpu::Row<HostTarget, T, vector_bytes, 8>::product_of_columns;
    return share_out(deal, parts, target, [=](std::size_t, std::size_t i) {
      const Part part = deal.part<Step>(steps.product, i);
      const Product<T> row = steps.product.matrix(part.matrix);
      const T* const b = row.b + part.column;
      T* const c = row.c + part.column;
      if (part.columns == 0) return;
      if (part.columns >= lanes)
        return run(part.columns, row.n, k, row.alpha, row.a, b, row.beta, c);
      // The last ones, which fill no vector, with those before them, in a c of their own.
      const std::size_t others = lanes - part.columns;
      T made[lanes] = {};
      if (row.beta != 0) std::copy_n(c, part.columns, made + others);
      run(lanes, row.n, k, row.alpha, row.a, b - others, row.beta, made);
      std::copy_n(made + others, part.columns, c);
    });
  }
  const FewRows few(steps.product, asked);
  const std::size_t slices = slices_in_place(steps.product, few), steps_ahead = few.steps_ahead();
  const bool added = slices > 1 || steps.product.beta != 0;
  std::vector<std::vector<Call<Step>>> calls(cuts);
  for (std::size_t i = 0; i < cuts; ++i)
    list_calls(steps, deal.part<Step>(steps.product, i), slices, added, steps_ahead, calls[i]);
  if (parts == 1 && slices == 1)
    return make_task(
        [steps, calls = std::move(calls.front())] {
          make_part(steps, {0, 0, steps.product.m, 0, steps.product.n}, [&] {
            for (const auto& call : calls) call.run(call.at);
          });
        },
        own(target.gemm, target, 1));
  const std::size_t m = steps.product.m, n = steps.product.n;
  const std::size_t bytes = (m * k + k * n + m * n) * sizeof(T);
  // What the caches hold, and small matrices, come in time by themselves. A Zen 4 with AVX-512 was
  // not measured.
  const bool comes_from_far = is_avx2 ? bytes > (16 << 10) && bytes * parts > (1 << 20)
                                      : vector_bytes == 64 && !computes_halves(steps.product.way) &&
                                            bytes > (48 << 10) && bytes * parts > (14 << 20);
  // With AVX2 it would hold up rows that are asked for before their turn.
  const bool may_ask = !is_avx2 || steps_ahead == 0;
  const bool asks = comes_from_far && may_ask && cuts == 1 && slices == 1;
  const bool asks_for_slice = asks_for_next_slice(steps.product);
  return share_out(deal, parts, target, [=](std::size_t thread, std::size_t i) {
    const Steps<Step> matrix = steps.matrix(i / cuts);
    const Moved moved{matrix.a - steps.a, matrix.product.b - steps.product.b,
                      matrix.product.c - steps.product.c};
    const auto multiply = [&] {
      // What follows the share of this thread is another one's.
      if (asks && i + 1 < parts && i + 1 != cut(parts, deal.threads, thread + 1))
        return run_and_ask(calls.front(), moved, steps.matrix(i + 1));
      run_calls(calls[i % cuts], k, slices, moved, asks_for_slice, [&](std::size_t p, std::size_t) {
        return std::ptrdiff_t(p * matrix.product.b_row);
      });
    };
    make_part(matrix, deal.part<Step>(steps.product, i), multiply);
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
                     make_part(matrix, part, [&] {
                       // One column lies as it is summed: rows of a are read from end to end.
                       if (at.last == 1)
                         return run_dot_products<T>(part.rows, 1,
                                                    {k, at.a, at.a_row, matrix.product.b, k, at.c,
                                                     1, 1, at.alpha, at.beta});
                       for (std::size_t slice = 0; slice < slices; ++slice, at.beta = 1) {
                         const std::size_t p = cut(k, slices, slice);
                         at.k = cut(k, slices, slice + 1) - p;
                         at.b = matrix.product.b + p * at.b_row;
                         run_columns(at);
                         at.a += at.k;
                       }
                     });
                   });
}

// Rows of a times all columns of b, which lie along k as they do; element (i, j) of c lies at
// i c_row + j c_column. Where rows follow one another in c each thread has whole cache lines of
// them, if shares stay nearly even.
template <class T>
std::unique_ptr<Task> launch_along(const Product<T>& product, std::size_t c_row,
                                   std::size_t c_column, const Target& target) {
  const auto threads = static_cast<std::size_t>(target.space.concurrency());
  const Deal deal = Deal::of<OneStep<T>>(product, threads);
  const std::size_t cuts = deal.row_cuts * deal.column_cuts;
  constexpr std::size_t line = 64 / sizeof(T);
  const std::size_t largest = ((product.m - 1) / (line * cuts) + 1) * line;
  const std::size_t unit = c_row == 1 && 10 * cuts * largest <= 11 * product.m ? line : 1;
  return share_out(deal, product.batch * cuts, target, [=](std::size_t, std::size_t i) {
    const auto& [a, b, c, m, n, k, batch, a_row, a_column, b_row, b_column, alpha, beta, way] =
        product.matrix(i / cuts);
    const std::size_t units = (m - 1) / unit + 1;
    const std::size_t row = std::min(m, unit * cut(units, cuts, i % cuts));
    const std::size_t end = std::min(m, unit * cut(units, cuts, i % cuts + 1));
    run_dot_products<T>(
        end - row, n,
        {k, a + row * a_row, a_row, b, b_column, c + row * c_row, c_row, c_column, alpha, beta});
  });
}

template <class Step>
std::unique_ptr<Task> launch_steps(const Steps<Step>& steps, const Target& target) {
  using T = typename Step::T;
  const auto& product = steps.product;
  const auto threads = static_cast<std::size_t>(target.space.concurrency());
  Deal deal = Deal::of<Step>(product, threads);
  // So that threads turn round rows of their own, if there are vectors for all of them.
  const std::size_t vectors = (product.n - 1) / HostTraits<T>::lanes + 1;
  const std::size_t cuts = deal.row_cuts * deal.column_cuts;
  if (steps.turned && deal.row_cuts > 1 && product.m <= product.n &&
      4 * cuts * ((vectors - 1) / cuts + 1) <= 5 * vectors)
    deal = {deal.threads, 1, cuts};
  // So that an Intel's threads copy rows of their own; the others were not measured.
  if (is_intel(product.way) && copies_a(steps, deal) && product.m >= 100 * threads)
    deal = {deal.threads, deal.threads, 1};
  const bool copies = copies_a(steps, deal);
  if constexpr (!Step::copies_b) {
    if (is_narrow(product) && !product.way.sums) return launch_narrow(steps, deal, target);
    if (is_read_row_by_row(product, threads)) return launch_row(product, threads, target);
    const bool in_place = reads_b_in_place(product, deal, most_rows_in_place(product));
    const bool may_be = product.b_column == 1 && product.k > 0;
    if (!copies && may_be && in_place != product.way.packs)
      return launch_in_place(steps, deal, target);
  }
  deal = deal.in_pieces<Step>(product, Step::steps(product.k), !copies);
  const Panel<Step> most(Step::steps(product.k));
  const std::size_t panel = most.elements();
  const std::size_t rows = copies ? (product.m - 1) / deal.row_cuts + 1 : 0;
  constexpr std::size_t line = 64 / sizeof(T);
  const std::size_t each = (panel + rows * most.depth + line - 1) / line * line;
  const Workspace<T> copied(deal.threads * each, target);
  return share_out(
      deal, product.batch * deal.parts(), target, [=](std::size_t thread, std::size_t i) {
        T* const place = copied.data() + thread * each;
        const Part part = deal.part<Step>(steps.product, i);
        const Steps<Step> matrix = steps.matrix(part.matrix);
        make_part(matrix, part,
                  [&] { run_part(matrix, part, place, copies ? place + panel : nullptr); });
      });
}

template <class T>
std::unique_ptr<Task> launch_straight(const Product<T>& asked, const Target& target) {
  const Product<T> product = as_it_lies(asked);
  const bool is_flat = is_flat_along(product, std::min(HostTraits<T>::most_along, product.k / 5));
  const bool may_be_summed = is_flat_along(product, product.m) && product.n > 1 &&
                             std::min(product.m, product.n) <= HostTraits<T>::most_along;
  if (is_flat != (product.way.sums && may_be_summed)) {
    // The longer side follows the sums of the shorter one: as if c were transposed.
    if (product.m < product.n) return launch_along(transposed(product), 1, product.n, target);
    return launch_along(product, product.n, 1, target);
  }
  const auto threads = static_cast<std::size_t>(target.space.concurrency());
  const Deal deal = Deal::of<OneStep<T>>(product, threads);
  if (are_narrow_rows(product)) return launch_narrow_rows(product, deal, target);
  const std::size_t rows = (product.m - 1) / (deal.row_cuts * deal.column_cuts) + 1;
  // The threads of an Intel with AVX-512 were not measured.
  const bool may_be_made_row_by_row =
      vector_bytes >= 32 && product.b_column == 1 && product.m > 1 && product.k > 0 &&
      product.k <= cpu::most_steps_of_rows && product.n >= vector_bytes / sizeof(T);
  const bool better =
      comes_late(product.way) && cpu::are_made_row_by_row(rows, product.n, product.k, sizeof(T),
                                                          vector_bytes, product.way.rules);
  if (may_be_made_row_by_row && better != product.way.by_rows)
    return launch_rows(product, deal, target);
  return launch_steps<OneStep<T>>(
      {product, product.a, product.a_row, product.a_column, product.m * product.k}, target);
}

}  // namespace breakeven::kokkos
