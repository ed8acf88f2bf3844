// SPDX-License-Identifier: Apache-2.0
// A tile of c in vector registers: elements of a, broadcast, times vectors of b.
#pragma once

#include <Kokkos_SIMD.hpp>
#include <algorithm>
#include <cstring>

#include "../product.hpp"

namespace breakeven::kokkos {

template <class T>
struct HostTraits {
  using Vector = Kokkos::Experimental::simd<T>;
  static constexpr std::size_t lanes = Vector::size();
  // Accumulators fill the register file: 24 of 32 with AVX-512 and on Arm, 12 of 16 elsewhere.
#if defined(__aarch64__)
  static constexpr bool many_registers = true;
#else
  static constexpr bool many_registers = lanes * sizeof(T) == 64;
#endif
  static constexpr std::size_t rows = many_registers ? 8 : 6;
  static constexpr std::size_t vectors = many_registers ? 3 : 2;
  // Without a copy of b, fewer rows and one vector more where there are registers for it.
  static constexpr std::size_t direct_rows = 6;
  static constexpr std::size_t direct_vectors = many_registers ? 4 : 2;
  // A panel of b, panel_depth × panel_columns, stays in the second-level cache, which processors
  // with AVX-512 have 1 MB of and others half as much; panel_depth elements of `rows` rows of a in
  // the first.
  static constexpr std::size_t panel_depth = (many_registers ? 5504 : 4096) / sizeof(T);
  static constexpr std::size_t panel_columns = 96;
  // Memory is asked for early: rows of b while a panel is copied, c before a tile is complete.
  static constexpr std::size_t b_rows_ahead = 16;
  static constexpr std::size_t c_steps_ahead = 96;
  // Up to here b is used where it lies.
  static constexpr std::size_t direct_limit = sizeof(T) == 4 ? 640 : 400;
};

// The row of b that is copied some rows later, at n columns from j on.
template <class C, class T>
void prefetch_b(const Product<C, T>& product, std::size_t row, std::size_t j, std::size_t n) {
  const std::size_t ahead = std::min(row + HostTraits<T>::b_rows_ahead, product.k - 1);
  const C* const from = product.b + ahead * product.b_row + j;
  for (std::size_t i = 0; i < n; i += 64 / sizeof(C)) __builtin_prefetch(from + i);
}

// One step of k at a time, of operands that are stored as they are summed. A type `Step` says what
// a tile does with its numbers:
//   T                      an element of a and of a panel of b, for one step
//   C                      an element of b and c where they lie
//   steps(k)
//   whole_k                rather than in slices, because sums do not fit into c
//   copies_b               always: what lies there is not what a step takes
//   copy_b(b, p, j, n, to) n columns, from j on, of step p
//   add(sum, left, right)  sum + an element of a, everywhere, times a vector of b
//   load(c, count)         as a vector, of which the first `count` elements are there
//   store(c, count, sum)
template <class Type>
struct OneStep {
  using T = Type;
  using C = Type;
  using Vector = typename HostTraits<T>::Vector;
  static constexpr bool whole_k = false, copies_b = false;

  static constexpr std::size_t steps(std::size_t k) { return k; }
  static void copy_b(const Product<T>& product, std::size_t p, std::size_t j, std::size_t n,
                     T* to) {
    const T* const from = product.b + p * product.b_row + j * product.b_column;
    if (product.b_column == 1) {
      prefetch_b(product, p, j, n);
      std::copy_n(from, n, to);
    } else {
      for (std::size_t i = 0; i < n; ++i) to[i] = from[i * product.b_column];
    }
  }
  static Vector add(const Vector& sum, const Vector& left, const Vector& right) {
    return Kokkos::fma(left, right, sum);
  }
  static Vector load(const C* c, std::size_t count) {
    if (count == Vector::size()) return Vector(c, Kokkos::Experimental::simd_flag_default);
    return Vector(c, typename Vector::mask_type([count](std::size_t i) { return i < count; }),
                  Kokkos::Experimental::simd_flag_default);
  }
  static void store(C* c, std::size_t count, const Vector& sum) {
    constexpr auto whole = Kokkos::Experimental::simd_flag_default;
    if (count == Vector::size()) return Kokkos::Experimental::simd_unchecked_store(sum, c, whole);
    // Kokkos' masked store wants an aligned address, whatever its flag says.
    T all[Vector::size()];
    Kokkos::Experimental::simd_unchecked_store(sum, all, whole);
    std::size_t done = 0;
#pragma GCC unroll 4
    for (std::size_t piece = Vector::size() / 2; piece > 0; piece /= 2) {
      if ((count & piece) == 0) continue;
      std::memcpy(c + done, all + done, piece * sizeof(T));
      done += piece;
    }
  }
};

// Where a tile finds its operands: element (i, p) of a at a[i a_row + p a_column], row p of b
// contiguous at b[p b_row], row i of c at c[i c_row].
template <class Step>
struct TileOperands {
  using T = typename Step::T;

  const T* a;
  std::size_t a_row, a_column;
  const T* b;
  std::size_t b_row;
  typename Step::C* c;
  std::size_t c_row, k;
  std::size_t last;  // columns in the last vector
  T alpha, beta;
  const T* next_a;  // as many rows of a to bring nearer meanwhile; null: none
};

template <class Step, std::size_t rows, std::size_t vectors, bool partial>
void run_tile(const TileOperands<Step>& at) {
  namespace simd = Kokkos::Experimental;
  using T = typename Step::T;
  using Traits = HostTraits<T>;
  using Vector = typename Traits::Vector;
  constexpr std::size_t lanes = Traits::lanes;
  const typename Vector::mask_type mask([last = at.last](std::size_t i) { return i < last; });
  // The constructors: not every instruction set has the functions that Kokkos documents.
  const auto load = [&](const T* from, std::size_t v) {
    if (partial && v + 1 == vectors) {
      return Vector(from + v * lanes, mask, simd::simd_flag_default);
    }
    return Vector(from + v * lanes, simd::simd_flag_default);
  };

  // Every loop over rows and vectors is unrolled, or the sums would live in memory.
  Vector sum[rows][vectors];
#pragma GCC unroll 8
  for (std::size_t i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) sum[i][v] = Vector(T(0));
  }
  const T* a = at.a;
  const T* b = at.b;
  const std::size_t a_row = at.a_row, a_column = at.a_column, b_row = at.b_row;
  const auto run_steps = [&](std::size_t steps) __attribute__((always_inline)) {
#pragma GCC unroll 2
    for (std::size_t p = 0; p < steps; ++p) {
      Vector right[vectors];
#pragma GCC unroll 4
      for (std::size_t v = 0; v < vectors; ++v) right[v] = load(b, v);
#pragma GCC unroll 8
      for (std::size_t i = 0; i < rows; ++i) {
        const Vector left(a[i * a_row]);
#pragma GCC unroll 4
        for (std::size_t v = 0; v < vectors; ++v) {
          sum[i][v] = Step::add(sum[i][v], left, right[v]);
        }
      }
      a += a_column;
      b += b_row;
    }
  };
  std::size_t k = at.k;
  if (k > 2 * Traits::c_steps_ahead) {
    constexpr std::size_t line = 64 / sizeof(T);
    if (const T* next = at.next_a) {
      for (; k > Traits::c_steps_ahead + line; k -= line, next += line) {
        for (std::size_t i = 0; i < rows; ++i) __builtin_prefetch(next + i * a_row, 0, 2);
        run_steps(line);
      }
    }
    run_steps(k - Traits::c_steps_ahead);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t v = 0; v < vectors; ++v) {
        __builtin_prefetch(at.c + i * at.c_row + v * lanes, 1);
      }
    }
    k = Traits::c_steps_ahead;
  }
  run_steps(k);

  const Vector alpha(at.alpha), beta(at.beta);
#pragma GCC unroll 8
  for (std::size_t i = 0; i < rows; ++i) {
    typename Step::C* const c = at.c + i * at.c_row;
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) {
      const std::size_t count = partial && v + 1 == vectors ? at.last : lanes;
      Vector result = alpha * sum[i][v];
      if (at.beta != T(0)) result = Kokkos::fma(beta, Step::load(c + v * lanes, count), result);
      Step::store(c + v * lanes, count, result);
    }
  }
}

// run_tile for sizes known at run time: up to 8 rows × 3 vectors and 6 × 4.
template <class Step>
using Tile = void (*)(const TileOperands<Step>&);

template <class Step, std::size_t rows, std::size_t vectors>
Tile<Step> pick_tile(std::size_t row_count, std::size_t vector_count, bool partial) {
  if constexpr (rows == 0 || vectors == 0) {
    return nullptr;
  } else {
    if (row_count < rows)
      return pick_tile<Step, rows - 1, vectors>(row_count, vector_count, partial);
    if (vector_count < vectors)
      return pick_tile<Step, rows, vectors - 1>(row_count, vector_count, partial);
    return partial ? run_tile<Step, rows, vectors, true> : run_tile<Step, rows, vectors, false>;
  }
}

}  // namespace breakeven::kokkos
