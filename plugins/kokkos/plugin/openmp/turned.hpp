// SPDX-License-Identifier: Apache-2.0
// Products of which an operand or c is turned round: where that is faster, or the way says so.
#pragma once

#include <algorithm>
#include <memory>
#include <tuple>

#include "gemm.hpp"
#include "plugins/cpu_common/turn_block.hpp"

namespace breakeven::kokkos {

// The share of the vectors of so many columns that is left empty.
template <class T>
double empty_share(std::size_t columns) {
  constexpr std::size_t lanes = HostTraits<T>::lanes;
  const std::size_t whole = (columns + lanes - 1) / lanes * lanes;
  return double(whole - columns) / double(whole);
}

// The last rows, if they are better summed along k beside others of which the transposed product is
// made: they fill no more than half of a vector, and the third cache holds b, which is read twice.
template <class Product>
std::size_t last_rows(const Product& product) {
  using T = typename Product::Sum;
  constexpr std::size_t lanes = HostTraits<T>::lanes, megabyte = 1 << 20;
  const std::size_t rest = product.m % lanes;
  const bool are_apart = product.batch == 1 && product.m > 2 * lanes && 2 * rest <= lanes;
  return vector_bytes == 64 && are_apart && product.n * product.k * sizeof(T) <= 24 * megabyte
             ? rest
             : 0;
}

// Whether it is faster to turn round a few rows of a and of c in place of a transposed b, which is
// read from end to end then. Measured on a Zen 5, with AVX2 too; a Zen 4 and Arm were not.
template <class Product>
bool turns_few_rows(const Product& product, std::size_t threads) {
  using T = typename Product::Sum;
  constexpr std::size_t lanes = HostTraits<T>::lanes, megabyte = 1 << 20;
  const std::size_t n = product.n, k = product.k, row_bytes = n * sizeof(T);
  const std::size_t m = product.m - last_rows(product);
  if (computes_halves(product.way) || product.a_column != 1 || product.b_column == 1 || m < lanes ||
      product.batch * m * row_bytes > 16 * megabyte)
    return false;
  // Each thread turns all of a round.
  if (5 * m * (threads * k / 2 + n) > 4 * n * k) return false;
  const double empty = empty_share<T>(m);
  const bool far = cpu::is_far(k * row_bytes);
  if (vector_bytes < 64) return far && m >= 2 * lanes && m <= 256 && empty <= 0.125;
  if (far) return m <= 512 && empty <= (sizeof(T) == 4 ? 0.2 : 0.25);
  // Beside a small b threads lose more by writing to the same rows of c than is saved.
  const bool one_vector = sizeof(T) == 4 && m == lanes && row_bytes % 1024 != 0;
  return std::min(n, k) >= 400 && empty <= 0.06 && (m >= 2 * lanes || one_vector);
}

// Whether it is faster to turn round c of the transposed product: of few rows where a and b are
// transposed, and b would have to be turned round.
template <class Product>
bool turns_c(const Product& product) {
  return product.a_column != 1 && product.b_column != 1 &&
         2 * product.m <= std::min<std::size_t>({product.n, product.k, 400});
}

template <class T>
std::unique_ptr<Task> launch_turned(const Product<T>& product, const Target& target) {
  const auto [m, n, batch] = std::tuple(product.m, product.n, product.batch);
  const Workspace<T> made(batch * m * n, target);
  Product<T> other = transposed(product);
  other.c = made.data();
  // What takes no time to turn round is made in any way, larger ones by threads that turn rows of
  // their own.
  constexpr std::size_t small = 16 * 16;
  if (m * n > small || batch > 1) {
    const std::shared_ptr<Task> multiply = launch_steps<OneStep<T>>(
        {other, other.a, other.a_row, other.a_column, other.m * other.k, product.c}, target);
    return make_task([made, multiply] { multiply->enqueue(); }, multiply->info());
  }
  const std::shared_ptr<Task> multiply = launch_straight(other, target);
  return make_task(
      [=, m = m, n = n, c = product.c, adds = product.beta != 0] {
        if (adds) cpu::transpose<vector_bytes>(m, n, c, n, made.data(), m);
        multiply->enqueue();
        cpu::transpose<vector_bytes>(n, m, made.data(), m, c, n);
      },
      multiply->info());
}

template <class T>
std::unique_ptr<Task> launch_few_rows(const Product<T>& product, const Target& target) {
  Product<T> whole = product, last = product;
  last.m = last_rows(product), whole.m -= last.m;
  last.a += whole.m * last.a_row, last.c += whole.m * last.n;
  std::unique_ptr<Task> turned = launch_turned(whole, target);
  if (last.m == 0) return turned;
  const std::shared_ptr<Task> first = std::move(turned);
  const std::shared_ptr<Task> second = launch_straight(last, target);
  return make_task(
      [first, second] {
        first->enqueue();
        second->enqueue();
      },
      first->info());
}

// Turns round every matrix of a batch of `rows` rows and `columns` columns: what is not small by
// all threads, each of which writes whole cache lines.
template <class T>
std::unique_ptr<Task> launch_transpose(std::size_t batch, std::size_t rows, std::size_t columns,
                                       const T* from, T* to, const Target& target) {
  constexpr std::size_t unit = 64 / sizeof(T), small = 64 << 10;
  const std::size_t units = (rows - 1) / unit + 1, bytes = batch * rows * columns * sizeof(T);
  const auto all = static_cast<std::size_t>(target.space.concurrency());
  const std::size_t cuts = bytes < small ? 1 : std::min(units, all);
  const std::size_t threads = bytes < small ? 1 : std::min(batch * cuts, all);
  return share_out({threads, 1, 1}, batch * cuts, target, [=](std::size_t, std::size_t i) {
    const std::size_t first = std::min(rows, unit * cut(units, cuts, i % cuts));
    const std::size_t end = std::min(rows, unit * cut(units, cuts, i % cuts + 1));
    const std::size_t matrix = i / cuts * rows * columns;
    cpu::transpose<vector_bytes>(end - first, columns, from + matrix + first * columns, columns,
                                 to + matrix + first, rows);
  });
}

// A transposed a, or else b, is turned round first.
template <class T>
std::unique_ptr<Task> launch_operand_turned(const Product<T>& product, bool is_a,
                                            const Target& target) {
  const auto [m, n, k, batch] = std::tuple(product.m, product.n, product.k, product.batch);
  const Workspace<T> turned(batch * k * (is_a ? m : n), target);
  const std::shared_ptr<Task> turn =
      is_a ? launch_transpose(batch, k, m, product.a, turned.data(), target)
           : launch_transpose(batch, n, k, product.b, turned.data(), target);
  Product<T> straight = product;
  if (is_a)
    straight.a = turned.data(), straight.a_row = k, straight.a_column = 1;
  else
    straight.b = turned.data(), straight.b_row = n, straight.b_column = 1;
  const std::shared_ptr<Task> multiply = launch_straight(straight, target);
  return make_task(
      [turned, turn, multiply] {
        turn->enqueue();
        multiply->enqueue();
      },
      multiply->info());
}

template <class T>
std::unique_ptr<Task> launch_as_decided(const Product<T>& product, const Target& target) {
  const auto threads = static_cast<std::size_t>(target.space.concurrency());
  const bool is_transposed = product.a_column != 1 || product.b_column != 1;
  const bool may_turn = product.m > 1 && product.n > 1 && product.k > 1 && is_transposed;
  const bool turns_a = may_turn && product.a_column != 1 && product.way.turns_a;
  const bool turns_b = may_turn && product.b_column != 1 && product.way.turns_b;
  if (turns_a || turns_b) return launch_operand_turned(product, turns_a, target);
  const bool few_rows = turns_few_rows(product, threads);
  if (!may_turn || (few_rows || turns_c(product)) == product.way.turns_c)
    return launch_straight(product, target);
  return few_rows ? launch_few_rows(product, target) : launch_turned(product, target);
}

}  // namespace breakeven::kokkos
