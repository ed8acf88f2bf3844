// SPDX-License-Identifier: Apache-2.0
// A tile of c in vector registers: elements of a, broadcast, times vectors of b.
#pragma once

#include <Kokkos_SIMD.hpp>
#include <algorithm>
#include <cstring>

#if defined(KOKKOS_ARCH_AVX512XEON)
#include <immintrin.h>
#endif

#include "../product.hpp"
#include "plugins/cpu_common/dot_products.hpp"
#include "plugins/cpu_common/row_pointers.hpp"
#include "plugins/cpu_common/turn_block.hpp"
#include "vector_bytes.hpp"

namespace breakeven::kokkos {

template <class T>
struct HostTraits {
  using Vector = Kokkos::Experimental::simd<T>;
  static constexpr std::size_t lanes = Vector::size();
  // Accumulators fill the register file: 24 of 32 with AVX-512 and on Arm, 12 of 16 elsewhere (of
  // wide tiles up to 14).
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
  // The most rows, for one or two vectors of columns, and for a b that comes from farther away than
  // the second-level cache.
  static constexpr std::size_t high_rows = many_registers ? 12 : direct_rows, high_vectors = 2;
  // The most vectors of the tile of one row that a Zen 5 takes (takes_row_tiles).
  static constexpr std::size_t row_vectors = lanes * sizeof(T) == 64 ? 28 : direct_vectors;
  // With AVX2 tiles of up to so many rows are wider: fewer sums would wait for themselves.
  static constexpr std::size_t most_wide_rows = is_avx2 ? 3 : 0;
  static constexpr std::size_t wide_vectors(std::size_t of_rows) {
    return of_rows == 1 ? 14 : of_rows == 2 ? 6 : 4;
  }
  // A panel of b, panel_depth × panel_columns, stays in the second-level cache, which processors
  // with AVX-512 have 1 MB of and others half as much; panel_depth elements of `rows` rows of a in
  // the first.
  static constexpr std::size_t panel_depth = (many_registers ? 5504 : 4096) / sizeof(T);
  static constexpr std::size_t panel_columns = 96;
  // Memory is asked for early: rows of b while a panel is copied, c before a tile is complete.
  static constexpr std::size_t b_rows_ahead = 16;
  static constexpr std::size_t c_steps_ahead = 96;
  static constexpr std::size_t packed_steps_ahead = 32;
  // At most so many columns, which leave much of a vector empty, are summed along k.
  static constexpr std::size_t most_narrow = !many_registers ? 7 : sizeof(T) == 4 ? 12 : 6;
  // At most so many rows of c, and no more than k / 5, are summed along k where b lies along it,
  // rather than that b is turned round.
  static constexpr std::size_t most_along = many_registers ? 96 : 32;
  // Up to here b is used where it lies.
  static constexpr std::size_t direct_limit = sizeof(T) == 8 ? 400 : many_registers ? 640 : 320;
};

// The first `count` lanes.
template <class Vector>
typename Vector::mask_type first_lanes(std::size_t count) {
  return typename Vector::mask_type([count](std::size_t i) { return i < count; });
}

// The row of b that is copied some rows later, at n columns from j on.
template <class C, class T>
void prefetch_b(const Product<C, T>& product, std::size_t row, std::size_t j, std::size_t n) {
  const std::size_t ahead = std::min(row + HostTraits<T>::b_rows_ahead, product.k - 1);
  const C* const from = product.b + ahead * product.b_row + j;
  for (std::size_t i = 0; i < n; i += 64 / sizeof(C)) __builtin_prefetch(from + i);
  // A row that begins inside of a line ends in one more.
  if (product.b_row * sizeof(C) % 64 != 0) __builtin_prefetch(from + n - 1);
}

// One step of k at a time, of operands that are stored as they are summed. A type `Step` says what
// a tile does with its numbers:
//   T                      an element of a and of a panel of b, for one step
//   C                      an element of b and c where they lie
//   steps(k)
//   whole_k                rather than in slices, because sums do not fit into c
//   copies_b               always: what lies there is not what a step takes
//   copy_b(b, p, j, n, to) n columns, from j on, of step p
//   read_b(b, j, p, n, to) where n steps of column j lie, from p on, if b lies along k; or `to`,
//                          which they were copied to
//   everywhere(left)       an element of a in every place of a vector
//   add(sum, left, right)  sum + such a vector times a vector of b
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
    prefetch_b(product, p, j, n);
    std::copy_n(product.b + p * product.b_row + j, n, to);
  }
  static const T* read_b(const Product<T>& product, std::size_t j, std::size_t p, std::size_t, T*) {
    return product.b + p + j * product.b_column;
  }
  static Vector everywhere(T left) { return Vector(left); }
  static Vector add(const Vector& sum, const Vector& left, const Vector& right) {
    return Kokkos::fma(left, right, sum);
  }
  static Vector load(const C* c, std::size_t count) {
    if (count == Vector::size()) return Vector(c, Kokkos::Experimental::simd_flag_default);
    return Vector(c, first_lanes<Vector>(count), Kokkos::Experimental::simd_flag_default);
  }
  static void store(C* c, std::size_t count, const Vector& sum) {
    constexpr auto whole = Kokkos::Experimental::simd_flag_default;
    if (count == Vector::size()) return Kokkos::Experimental::simd_unchecked_store(sum, c, whole);
#if defined(KOKKOS_ARCH_AVX512XEON)
    if ((count & (count - 1)) != 0) return store_by_mask(c, count, sum);
#endif
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

 private:
#if defined(KOKKOS_ARCH_AVX512XEON)
  // Kokkos' own wants an aligned address, whatever its flag says.
  static void store_by_mask(C* c, std::size_t count, const Vector& sum) {
    if constexpr (sizeof(T) == 4)
      _mm512_mask_storeu_ps(c, __mmask16((1u << count) - 1), static_cast<__m512>(sum));
    else
      _mm512_mask_storeu_pd(c, __mmask8((1u << count) - 1), static_cast<__m512d>(sum));
  }
#endif
};

// Where a tile, and the tiles - 1 below it, find their operands: element (i, p) of a at
// a[i a_row + p a_column], row p of b contiguous at b[p b_row], row i of c at c[i c_row].
template <class Step>
struct TileOperands {
  using T = typename Step::T;

  std::size_t tiles;
  const T* a;
  std::size_t a_row, a_column;
  const T* b;
  std::size_t b_row;
  typename Step::C* c;
  std::size_t c_row, k;
  std::size_t last_at;                             // column where the last vector begins
  std::size_t last;                                // columns in it, of a partial tile
  typename HostTraits<T>::Vector::mask_type mask;  // its first lanes, `last` of them
  T alpha, beta;
  // To bring nearer meanwhile: as many rows of a, or null: for every 64 bytes of steps as many
  // lines as there are rows, `next_line` apart, the next ones `next_step` behind; and so many rows
  // of the b where it lies, as wide as the tile.
  const T* next_a;
  std::size_t next_line, next_step;
  const typename Step::C* next_b;
  std::size_t next_rows, next_stride;
  // Or, if `line` is not null: in every step of k a line, `line_step` elements behind the one
  // before, and the row of b that is read `steps_ahead` steps later. For one tile of
  // HostTraits::vectors, or of up to most_wide_rows.
  const typename Step::C* line;
  std::size_t line_step, steps_ahead;
  // Where a packing tile leaves the rows of b that it reads, one behind the other.
  T* packed;

  void set_last(std::size_t columns) {
    last = columns, mask = first_lanes<typename HostTraits<T>::Vector>(columns);
  }
};

// What is done with the sums of all tiles of a call, kept as integers: comparisons of numbers would
// wait behind the sums.
struct Ending {
  template <class Step>
  [[gnu::always_inline]] explicit Ending(const TileOperands<Step>& at)
      : scales(at.alpha != 1), adds(at.beta != 0) {
    asm("" : "+r"(scales), "+r"(adds));
  }
  std::size_t scales, adds;
};

// `known_steps`: rows of a lie, beside a copied b.
template <class Step, std::size_t rows, std::size_t vectors, bool partial, bool packs,
          bool known_steps>
[[gnu::always_inline]] inline void run_one_tile(const TileOperands<Step>& at, const Ending& ending,
                                                const typename Step::T* a,
                                                typename Step::C* tile_c) {
  namespace simd = Kokkos::Experimental;
  using T = typename Step::T;
  using Traits = HostTraits<T>;
  using Vector = typename Traits::Vector;
  constexpr std::size_t lanes = Traits::lanes;
  const std::size_t last_at = known_steps || vectors == 1 ? (vectors - 1) * lanes : at.last_at;
  const auto column_of = [&](std::size_t v) { return v + 1 == vectors ? last_at : v * lanes; };
  // The constructors: not every instruction set has the functions that Kokkos documents.
  const auto load = [&](const T* from, std::size_t v) {
    if (partial && v + 1 == vectors) {
      return Vector(from + last_at, at.mask, simd::simd_flag_default);
    }
    return Vector(from + column_of(v), simd::simd_flag_default);
  };

  // Every loop over rows and vectors is unrolled, or the sums would live in memory.
  Vector sum[rows][vectors];
#pragma GCC unroll 12
  for (std::size_t i = 0; i < rows; ++i) {
#pragma GCC unroll 32
    for (std::size_t v = 0; v < vectors; ++v) sum[i][v] = Vector(T(0));
  }
  const T* b = at.b;
  cpu::RowPointers<T, rows> at_a(a, at.a_row);
  const std::size_t a_column = known_steps ? 1 : at.a_column;
  const std::size_t b_row = known_steps ? vectors * lanes : at.b_row;
  // Of the row of b that is packed so many steps later: at the end, of the tile to the right.
  [[maybe_unused]] const T* ahead = packs ? b + Traits::packed_steps_ahead * b_row : nullptr;
  [[maybe_unused]] const bool begins_inside = b_row * sizeof(T) % 64 != 0;
  [[maybe_unused]] T* packed = packs ? at.packed : nullptr;
  const auto run_step = [&](const auto& meanwhile) __attribute__((always_inline)) {
    // The sums of a wide tile leave registers for one vector of b at a time.
    if constexpr (vectors > 3 && !Traits::many_registers) {
      meanwhile();
      Vector left[rows];
#pragma GCC unroll 12
      for (std::size_t i = 0; i < rows; ++i) left[i] = Step::everywhere(at_a[i]);
#pragma GCC unroll 32
      for (std::size_t v = 0; v < vectors; ++v) {
        const Vector right = load(b, v);
#pragma GCC unroll 12
        for (std::size_t i = 0; i < rows; ++i) sum[i][v] = Step::add(sum[i][v], left[i], right);
      }
    } else {
      Vector right[vectors];
#pragma GCC unroll 32
      for (std::size_t v = 0; v < vectors; ++v) right[v] = load(b, v);
      meanwhile();
      if constexpr (packs) {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < vectors; ++v, packed += lanes) {
          Step::store(packed, lanes, right[v]);
          __builtin_prefetch(ahead + v * lanes);
        }
        if (begins_inside) __builtin_prefetch(ahead + vectors * lanes - 1);
        ahead += b_row;
      }
#pragma GCC unroll 12
      for (std::size_t i = 0; i < rows; ++i) {
        const Vector left = Step::everywhere(at_a[i]);
#pragma GCC unroll 32
        for (std::size_t v = 0; v < vectors; ++v) sum[i][v] = Step::add(sum[i][v], left, right[v]);
      }
    }
    at_a.advance(a_column);
    b += b_row;
  };
  const auto nothing = [] {};
  const auto run_steps = [&](std::size_t steps, const auto& meanwhile)
      __attribute__((always_inline)) {
    // Not unrolled: the second cache of a Zen 5 delivers most to no more than 28 instructions.
    if constexpr (vectors > 8) {
      for (; steps > 0; --steps) run_step(meanwhile);
    } else {
#pragma GCC unroll 2
      for (std::size_t p = 0; p < steps; ++p) run_step(meanwhile);
    }
  };
  constexpr bool names_lines = vector_bytes >= 32 && !Step::copies_b && !packs &&
                               (vectors == Traits::vectors || rows <= Traits::most_wide_rows);
  bool done = false;
  if constexpr (names_lines)
    if (const auto* line = at.line) {
      const T* ahead_of_b = b + at.steps_ahead * b_row;
      const std::size_t line_step = at.line_step;
      run_steps(
          at.k, [&]() __attribute__((always_inline)) {
            __builtin_prefetch(line, 0, 2);
            line += line_step;
#pragma GCC unroll 8
            for (std::size_t j = 0; j < vectors * lanes; j += 64 / sizeof(T))
              __builtin_prefetch(ahead_of_b + j);
            __builtin_prefetch(ahead_of_b + vectors * lanes - 1);
            ahead_of_b += b_row;
          });
      done = true;
    }
  constexpr std::size_t c_steps_ahead = packs ? Traits::packed_steps_ahead : Traits::c_steps_ahead;
  std::size_t k = done ? 0 : at.k;
  if (k > 2 * c_steps_ahead) {
    constexpr std::size_t line = 64 / sizeof(T);
    if (const T* next = at.next_a; !packs && (next || at.next_rows)) {
      [[maybe_unused]] const auto* next_b = at.next_b;
      [[maybe_unused]] std::size_t left = at.next_rows, stride = at.next_stride;
      for (; k > c_steps_ahead + line; k -= line) {
        if (next) {
          for (std::size_t i = 0; i < rows; ++i) __builtin_prefetch(next + i * at.next_line, 0, 2);
          next += at.next_step;
        }
        // In every step a row of b: more at once would hold up what is read now. No other tiles are
        // told of rows of b. When none is left this one asks for what it just read: another loop
        // would take time to compile.
        if constexpr (vector_bytes >= 32 && !Step::copies_b &&
                      (vectors == Traits::vectors || vectors == Traits::high_vectors)) {
          if (is_avx2 && left == 0) {
            run_steps(line, nothing);  // asking in vain would take time
            continue;
          }
          if (left == 0) next_b = b, stride = 0;
          run_steps(
              line, [&]() __attribute__((always_inline)) {
#pragma GCC unroll 4
                for (std::size_t v = 0; v < vectors; ++v)
                  __builtin_prefetch(next_b + v * lanes, 0, 2);
                __builtin_prefetch(next_b + vectors * lanes - 1, 0, 2);
                next_b += stride;
              });
          left -= std::min(line, left);
        } else {
          run_steps(line, nothing);
        }
      }
    }
    run_steps(k - c_steps_ahead, nothing);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t v = 0; v < vectors; ++v) {
        __builtin_prefetch(tile_c + i * at.c_row + v * lanes, 1);
      }
    }
    k = c_steps_ahead;
    if constexpr (packs) ahead = at.b + vectors * lanes;
  }
  run_steps(k, nothing);

  if (ending.scales) {
    const Vector alpha(at.alpha);
#pragma GCC unroll 12
    for (std::size_t i = 0; i < rows; ++i) {
#pragma GCC unroll 32
      for (std::size_t v = 0; v < vectors; ++v) sum[i][v] = alpha * sum[i][v];
    }
  }
  const auto store = [&](auto result) __attribute__((always_inline)) {
#pragma GCC unroll 12
    for (std::size_t i = 0; i < rows; ++i) {
      typename Step::C* const c = tile_c + i * at.c_row;
#pragma GCC unroll 32
      for (std::size_t v = 0; v < vectors; ++v) {
        const std::size_t count = partial && v + 1 == vectors ? at.last : lanes;
        Step::store(c + column_of(v), count, result(sum[i][v], c + column_of(v), count));
      }
    }
  };
  if (!ending.adds) {
    store([](const Vector& of, const auto*, std::size_t) { return of; });
  } else {
    store([beta = Vector(at.beta)](const Vector& of, const auto* c, std::size_t count) {
      return Kokkos::fma(beta, Step::load(c, count), of);
    });
  }
}

template <class Step, std::size_t rows, std::size_t vectors, bool partial, bool packs = false>
void run_tiles(const TileOperands<Step>& at) {
  using Traits = HostTraits<typename Step::T>;
  const Ending ending(at);
  const auto run = [&]<bool known_steps>() __attribute__((always_inline)) {
    const auto* a = at.a;
    auto* c = at.c;
    for (std::size_t i = 0; i < at.tiles; ++i, a += rows * at.a_row, c += rows * at.c_row)
      run_one_tile<Step, rows, vectors, partial, packs, known_steps>(at, ending, a, c);
  };
  // A loop of fewer instructions, which shows with AVX2 while a neighbour shares the core.
  constexpr std::size_t columns = vectors * Traits::lanes;
  if constexpr (is_avx2 && !Step::copies_b && !partial && !packs && vectors == Traits::vectors)
    if (at.a_column == 1 && at.b_row == columns && at.last_at == columns - Traits::lanes)
      return run.template operator()<true>();
  run.template operator()<false>();
}

// Sums along k.
struct HostTarget {
  static constexpr bool many_registers = HostTraits<float>::many_registers;
};
template <class Factors>
using DotProducts = cpu::DotProducts<HostTarget, Factors>;

template <class T>
void run_dot_products(std::size_t m, std::size_t n, const cpu::DotOperands<T, T, T>& of) {
  if (vector_bytes == 64 &&
      cpu::short_vectors_are_better(m, n, of.row_stride * sizeof(T), cpu::family))
    return DotProducts<cpu::Factors<T, std::min(32, vector_bytes)>>::run(m, n, of);
  DotProducts<cpu::Factors<T, vector_bytes>>::run(m, n, of);
}

// Of c so few columns, `at.last`, that most of a vector of b would be empty, and `at.tiles` rows:
// by `run`, as DotProducts, of rows of a, whose elements follow one another from `a` on, and
// columns of b, which are copied. k is at least a vector and at most HostTraits::panel_depth.
template <class Step, class A, class Run>
void sum_along(const TileOperands<Step>& at, const A* a, const Run& run) {
  using T = typename Step::T;
  alignas(64) T b[HostTraits<T>::most_narrow * HostTraits<T>::panel_depth];
  cpu::transpose<vector_bytes>(at.k, at.last, at.b, at.b_row, b, at.k);
  run(at.tiles, at.last,
      cpu::DotOperands<A, T, T>{at.k, a, at.a_row, b, at.k, at.c, at.c_row, 1, at.alpha, at.beta});
}
template <class Step>
void run_columns(const TileOperands<Step>& at) {
  sum_along(at, at.a, &run_dot_products<typename Step::T>);
}

// run_tiles for sizes known at run time: up to 8 rows × 3 vectors, 6 × 4, 12 × 2 and 1 × 28; with
// AVX2 up to 6 × 2, 3 × 4, 2 × 6 and 1 × 14.
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
    return partial ? run_tiles<Step, rows, vectors, true> : run_tiles<Step, rows, vectors, false>;
  }
}

// One of so few rows that it may be wide.
template <class Step>
Tile<Step> pick_wide_tile(std::size_t row_count, std::size_t vector_count, bool partial) {
  using Traits = HostTraits<typename Step::T>;
  if constexpr (Traits::most_wide_rows > 0) {
    if (row_count == 1)
      return pick_tile<Step, 1, Traits::wide_vectors(1)>(1, vector_count, partial);
    if (row_count == 2)
      return pick_tile<Step, 2, Traits::wide_vectors(2)>(2, vector_count, partial);
    return pick_tile<Step, 3, Traits::wide_vectors(3)>(3, vector_count, partial);
  }
  return nullptr;
}

// One that packs, of the first rows of a part that has more of them; or null.
template <class Step, std::size_t vectors = HostTraits<typename Step::T>::vectors>
Tile<Step> pick_packing_tile(std::size_t row_count, std::size_t vector_count) {
  constexpr std::size_t most = HostTraits<typename Step::T>::rows;
  if constexpr (vector_bytes < 32 || vectors == 0) {
    return nullptr;
  } else {
    if (vector_count < vectors)
      return pick_packing_tile<Step, vectors - 1>(row_count, vector_count);
    if (row_count + 1 < most) return nullptr;
    return row_count < most ? run_tiles<Step, most - 1, vectors, false, true>
                            : run_tiles<Step, most, vectors, false, true>;
  }
}

// Last columns of c, `at.last` of them and no more than two, beside `at.last_at` rows, at least a
// vector, of an a that is transposed: columns of b times vectors of a make rows of the transposed
// c, which are put where they belong.
template <class Step>
void run_flipped(const TileOperands<Step>& at) {
  using T = typename Step::T;
  using Traits = HostTraits<T>;
  constexpr std::size_t lanes = Traits::lanes, most = Traits::direct_vectors;
  alignas(64) T made[2 * most * lanes];
  const std::size_t m = at.last_at, vectors = (m + lanes - 1) / lanes;
  const std::size_t strips = (vectors + most - 1) / most;
  TileOperands<Step> part{};
  part.tiles = 1, part.a = at.b, part.a_row = 1, part.a_column = at.b_row;
  part.b_row = at.a_column, part.c = made, part.k = at.k, part.alpha = at.alpha;
  for (std::size_t strip = 0, row = 0; strip < strips; ++strip) {
    const std::size_t width = cut(vectors, strips, strip + 1) - cut(vectors, strips, strip);
    const std::size_t rows = std::min(width * lanes, m - row);
    part.b = at.a + row, part.c_row = width * lanes, part.last_at = rows - lanes;
    pick_tile<Step, 2, most>(at.last, width, false)(part);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < at.last; ++j) {
        auto& c = at.c[(row + i) * at.c_row + j];
        c = made[j * part.c_row + i] + (at.beta == 0 ? T(0) : at.beta * c);
      }
    row += rows;
  }
}

}  // namespace breakeven::kokkos
