// SPDX-License-Identifier: Apache-2.0
// What the kernels of a product have in common: c is cut into blocks, one for each crew of threads,
// and k where there are too few of them.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include "../product.hpp"

namespace breakeven::kokkos {

// Elements one access takes.
template <class T, int count>
struct alignas(sizeof(T) * count) Chunk {
  T at[count];
};

// One operand as a matrix of `lines` (rows of a, columns of b) by k. Along depth: the elements of a
// line follow one another, else those of one step of k; the others are `stride` apart.
template <class T, bool along_depth>
struct Strip {
  const T* data;
  int lines, depth;
  int stride;
  bool chunked;  // every chunk starts where it may be read at once

  // Chunks are found by offsets of int, less than 256 lines or steps of k away.
  static constexpr std::size_t longest = std::numeric_limits<int>::max() / 256;

  template <int chunk>
  static Strip of(const T* data, std::size_t lines, std::size_t depth, std::size_t line_stride,
                  std::size_t depth_stride) {
    const std::size_t stride = along_depth ? line_stride : depth_stride;
    const bool chunked = stride <= longest &&
                         reinterpret_cast<std::uintptr_t>(data) % (sizeof(T) * chunk) == 0 &&
                         stride % chunk == 0;
    return {data, static_cast<int>(lines), static_cast<int>(depth), static_cast<int>(stride),
            chunked};
  }

  KOKKOS_FUNCTION const T* at(int line, int step) const {
    return along_depth ? data + static_cast<std::ptrdiff_t>(line) * stride + step
                       : data + static_cast<std::ptrdiff_t>(step) * stride + line;
  }
};

// The only row of a, or column of b, lies along k: its stride is a whole line, as the next matrix
// begins behind it.
template <class T, class Sum>
Product<T, Sum> with_whole_lines(Product<T, Sum> product) {
  if (product.m == 1) product.a_row = product.k, product.a_column = 1;
  if (product.n == 1) product.b_column = product.k, product.b_row = 1;
  return product;
}

// run<a_along_depth, b_along_depth>(), as the operands lie; one stride of each is 1.
template <class T, class Sum, class Run>
auto with_layout(const Product<T, Sum>& product, const Run& run) {
  if (product.a_column == 1)
    return product.b_row == 1 ? run.template operator()<true, true>()
                              : run.template operator()<true, false>();
  return product.b_row == 1 ? run.template operator()<false, true>()
                            : run.template operator()<false, false>();
}

// `Traits` say how large blocks are (block_m, block_n), how many elements of an operand that lies
// along depth, or across it, one access takes (piece_of<along depth>), and of c (stored). What is
// stored is `Result`: T, or Sum where k is cut.
template <class Traits, bool a_along_depth, bool b_along_depth, class Result>
struct BlockedProduct {
  using T = typename Traits::T;
  using Sum = typename Traits::Sum;
  using Policy =
      Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<Traits::team, Traits::resident_teams>>;
  using Team = typename Policy::member_type;
  static constexpr int crews = Traits::crews, threads = Traits::team, stored = Traits::stored;

  Strip<T, a_along_depth> a;
  Strip<T, b_along_depth> b;
  Result* c = nullptr;
  int m, n, k;                 // half the registers of a std::size_t
  std::size_t next_a, next_b;  // elements from one matrix to the next
  int blocks_m, blocks_n;      // of a matrix
  int blocks;                  // of all
  Sum alpha, beta;
  bool chunked_c = false;

  // Where Result is not T, cut_into() is still to be called.
  explicit BlockedProduct(const Product<T, Sum>& product)
      : a(decltype(a)::template of<Traits::template piece_of<a_along_depth>>(
            product.a, product.m, product.k, product.a_row, product.a_column)),
        b(decltype(b)::template of<Traits::template piece_of<b_along_depth>>(
            product.b, product.n, product.k, product.b_column, product.b_row)),
        m(static_cast<int>(product.m)),
        n(static_cast<int>(product.n)),
        k(static_cast<int>(product.k)),
        next_a(a_along_depth ? product.m * product.a_row : product.k * product.a_column),
        next_b(b_along_depth ? product.n * product.b_column : product.k * product.b_row),
        blocks_m((m + Traits::block_m - 1) / Traits::block_m),
        blocks_n((n + Traits::block_n - 1) / Traits::block_n),
        blocks(static_cast<int>(product.batch * blocks_m * blocks_n)),
        alpha(product.alpha),
        beta(product.beta) {
    if constexpr (std::is_same_v<Result, T>) {
      c = product.c;
      chunked_c =
          reinterpret_cast<std::uintptr_t>(c) % (sizeof(T) * stored) == 0 && n % stored == 0;
    }
  }

  int teams() const { return (blocks - 1) / crews + 1; }

  // Cuts the k of a single product into equal parts, each a multiple of 8: matrices of their own,
  // whose products follow one another in `sums`.
  void cut_into(int parts, Result* sums) {
    k /= parts, blocks *= parts;
    a.depth = b.depth = k;
    next_a = std::size_t(k) * (a_along_depth ? 1 : a.stride);
    next_b = std::size_t(k) * (b_along_depth ? 1 : b.stride);
    c = sums, alpha = 1, beta = 0;
    chunked_c = n % stored == 0;  // a workspace is aligned
  }

 protected:
  struct Place {
    int row, column;
  };
  // Blocks go down columns of `group` blocks, so that those in work at one time share operands in
  // the second-level cache.
  KOKKOS_FUNCTION Place place_of(int block) const {
    constexpr int group = 16;
    const int first = block / (group * blocks_n) * group;
    const int height = Kokkos::min(group, blocks_m - first);
    const int inside = block % (group * blocks_n);
    return {(first + inside % height) * Traits::block_m, inside / height * Traits::block_n};
  }

  // Stores `stored` sums of a row that follow one another, as far as they are inside of c.
  template <class SumAt>
  KOKKOS_FUNCTION void store_at(Result* matrix, int row, int column, const SumAt& sum_at) const {
    Result* const to = matrix + static_cast<std::ptrdiff_t>(row) * n + column;
    Chunk<Result, stored> result;
    const bool whole = chunked_c && column + stored <= n;
    if (whole && beta != Sum(0)) result = *reinterpret_cast<const Chunk<Result, stored>*>(to);
#pragma unroll
    for (int e = 0; e < stored; ++e) {
      const Sum product = alpha * sum_at(e);
      if (whole) {
        result.at[e] = mixed(product, result.at[e]);
      } else if (column + e < n) {
        to[e] = mixed(product, to[e]);
      }
    }
    if (whole) *reinterpret_cast<Chunk<Result, stored>*>(to) = result;
  }

 private:
  // With beta = 0 the old value is not looked at: it may be NaN.
  KOKKOS_FUNCTION Result mixed(Sum product, const Result& old) const {
    return static_cast<Result>(beta == Sum(0) ? product : product + beta * static_cast<Sum>(old));
  }
};

// Adds up what the parts of k gave, in their order.
template <class T, class Sum>
struct JoinParts {
  const Sum* sums;
  T* c;
  std::size_t elements;  // of c
  int parts;
  Sum alpha, beta;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    if (i >= elements) return;
    Sum sum = 0;
    for (int part = 0; part < parts; ++part) sum += sums[part * elements + i];
    sum *= alpha;
    // With beta = 0 the old value is not looked at: it may be NaN.
    c[i] = static_cast<T>(beta == Sum(0) ? sum : sum + beta * static_cast<Sum>(c[i]));
  }
};

}  // namespace breakeven::kokkos
