// SPDX-License-Identifier: Apache-2.0
// Products on a device whose threads share scratch memory: a team makes a block of c, slice by
// slice of k. While it multiplies one slice, the next one is on its way to registers and from there
// to the other half of the scratch memory.
#pragma once

#include "../product.hpp"

namespace breakeven::kokkos {

// How a block is dealt out. `T` is stored, `Sum` computed with; 16 bytes of Sum are a chunk, the
// unit of access. A warp makes warp_rows × warp_columns chunked subtiles of its threads; see
// `element`.
template <class Stored, class Summed, int thread_rows, int thread_columns, int lanes_down,
          int lanes_across, int warps_down, int warps_across, int depth, int least_teams>
struct TeamTraits {
  using T = Stored;
  using Sum = Summed;
  static constexpr int chunk = 16 / sizeof(Sum);
  static constexpr int rows = thread_rows, columns = thread_columns;  // of a thread's tile
  static constexpr int lanes_m = lanes_down, lanes_n = lanes_across;
  static constexpr int warps_m = warps_down, warps_n = warps_across;
  static constexpr int block_m = rows * lanes_m * warps_m, block_n = columns * lanes_n * warps_n;
  static constexpr int slice = depth;
  static constexpr int team = lanes_m * lanes_n * warps_m * warps_n;
  static constexpr int resident_teams = least_teams;  // per processor, for the register budget
  static constexpr int chunks_a = block_m * slice / (chunk * team);
  static constexpr int chunks_b = block_n * slice / (chunk * team);
  // A chunk of space between lines, so that a transposed store meets every bank.
  static constexpr int line_a = block_m + chunk, line_b = block_n + chunk;
  static constexpr std::size_t scratch_elements = 2 * slice * (line_a + line_b);

  static_assert(rows % chunk == 0 && columns % chunk == 0 && slice % chunk == 0);
  static_assert(chunks_a * chunk * team == block_m * slice);
  static_assert(chunks_b * chunk * team == block_n * slice);
};

// Elements one access takes.
template <class T, int count>
struct alignas(sizeof(T) * count) Chunk {
  T at[count];
};

// One operand as a matrix of `lines` (rows of a, columns of b) by k.
template <class T>
struct Strip {
  const T* data;
  int lines, depth;
  int line_stride, depth_stride;
  bool along_depth;  // elements of one line follow one another; else those of one step of k
  bool chunked;      // every chunk starts where it may be read at once

  template <int chunk>
  static Strip of(const T* data, std::size_t lines, std::size_t depth, std::size_t line_stride,
                  std::size_t depth_stride, std::size_t batch_stride) {
    const bool along_depth = depth_stride == 1;
    const std::size_t other = along_depth ? line_stride : depth_stride;
    const bool chunked = reinterpret_cast<std::uintptr_t>(data) % (sizeof(T) * chunk) == 0 &&
                         other % chunk == 0 && batch_stride % chunk == 0;
    return {data,
            static_cast<int>(lines),
            static_cast<int>(depth),
            static_cast<int>(line_stride),
            static_cast<int>(depth_stride),
            along_depth,
            chunked};
  }
};

template <class Traits>
struct TeamGemm {
  using T = typename Traits::T;
  using Sum = typename Traits::Sum;
  using Policy =
      Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<Traits::team, Traits::resident_teams>>;
  using Team = typename Policy::member_type;
  static constexpr int chunk = Traits::chunk, slice = Traits::slice;

  Strip<T> a, b;
  T* c;
  int m, n, k;  // half the registers of a std::size_t
  int blocks_m, blocks_n;
  Sum alpha, beta;
  bool chunked_c;

  explicit TeamGemm(const Product<T, Sum>& product)
      : a(Strip<T>::template of<chunk>(product.a, product.m, product.k, product.a_row,
                                       product.a_column, product.m * product.k)),
        b(Strip<T>::template of<chunk>(product.b, product.n, product.k, product.b_column,
                                       product.b_row, product.k * product.n)),
        c(product.c),
        m(static_cast<int>(product.m)),
        n(static_cast<int>(product.n)),
        k(static_cast<int>(product.k)),
        blocks_m((m + Traits::block_m - 1) / Traits::block_m),
        blocks_n((n + Traits::block_n - 1) / Traits::block_n),
        alpha(product.alpha),
        beta(product.beta),
        chunked_c(reinterpret_cast<std::uintptr_t>(product.c) % (sizeof(T) * chunk) == 0 &&
                  product.n % chunk == 0) {}

  static Policy policy(const Space& space, std::size_t league) {
    return Policy(space, static_cast<int>(league), Traits::team)
        .set_scratch_size(0, Kokkos::PerTeam(scratch_bytes));
  }
  static constexpr std::size_t scratch_bytes = sizeof(Sum) * Traits::scratch_elements + 16;

  // Where a thread's tile lies in the block: its rows come in chunks that alternate with those of
  // the other lanes of the warp, so that a warp reads scratch memory without conflicts.
  struct Seat {
    int row, column;
    KOKKOS_FUNCTION explicit Seat(int rank) {
      constexpr int lanes = Traits::lanes_m * Traits::lanes_n;
      const int lane = rank % lanes, warp = rank / lanes;
      row = warp / Traits::warps_n * (Traits::lanes_m * Traits::rows) +
            lane / Traits::lanes_n * chunk;
      column = warp % Traits::warps_n * (Traits::lanes_n * Traits::columns) +
               lane % Traits::lanes_n * chunk;
    }
  };
  // Offset of the i-th of a tile's rows (columns) from the seat's.
  KOKKOS_FUNCTION static constexpr int row_at(int i) {
    return i / chunk * (Traits::lanes_m * chunk) + i % chunk;
  }
  KOKKOS_FUNCTION static constexpr int column_at(int i) {
    return i / chunk * (Traits::lanes_n * chunk) + i % chunk;
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int blocks = blocks_m * blocks_n;
    const std::size_t matrix = team.league_rank() / blocks;
    const Place place = place_of(team.league_rank() % blocks);
    Strip<T> left = a, right = b;
    left.data += matrix * m * k, right.data += matrix * k * n;
    Sum* const scratch =
        static_cast<Sum*>(team.team_scratch(0).get_shmem_aligned(scratch_bytes - 16, 16));
    Sum* const scratch_b = scratch + 2 * slice * Traits::line_a;
    const int rank = team.team_rank();
    const Seat seat(rank);

    Sum sum[Traits::rows][Traits::columns] = {};
    Chunk<Sum, chunk> next_a[Traits::chunks_a], next_b[Traits::chunks_b];
    fetch<Traits::block_m>(left, place.row, 0, rank, next_a);
    fetch<Traits::block_n>(right, place.column, 0, rank, next_b);
    keep<Traits::block_m, Traits::line_a>(left, next_a, rank, scratch);
    keep<Traits::block_n, Traits::line_b>(right, next_b, rank, scratch_b);
    team.team_barrier();
    int half = 0;
    for (int p = 0; p < k; p += slice, half ^= 1) {
      const bool more = p + slice < k;
      if (more) {
        fetch<Traits::block_m>(left, place.row, p + slice, rank, next_a);
        fetch<Traits::block_n>(right, place.column, p + slice, rank, next_b);
      }
      multiply(scratch + half * slice * Traits::line_a, scratch_b + half * slice * Traits::line_b,
               seat, sum);
      if (more) {
        const int other = half ^ 1;
        keep<Traits::block_m, Traits::line_a>(left, next_a, rank,
                                              scratch + other * slice * Traits::line_a);
        keep<Traits::block_n, Traits::line_b>(right, next_b, rank,
                                              scratch_b + other * slice * Traits::line_b);
      }
      team.team_barrier();
    }
    store(sum, seat, place, c + matrix * m * n);
  }

 private:
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

  // Chunk `index` of a slice starts at this line and depth.
  struct Start {
    int line, depth;
  };
  template <int block>
  KOKKOS_FUNCTION static Start start_of(const Strip<T>& strip, int index) {
    if (strip.along_depth) return {index / (slice / chunk), index % (slice / chunk) * chunk};
    return {index % (block / chunk) * chunk, index / (block / chunk)};
  }

  // This thread's chunks of the slice at `depth`; zeros outside the matrix.
  template <int block, int count>
  KOKKOS_FUNCTION static void fetch(const Strip<T>& strip, int line, int depth, int rank,
                                    Chunk<Sum, chunk> (&into)[count]) {
    const bool inside = line + block <= strip.lines && depth + slice <= strip.depth;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const Start start = start_of<block>(strip, rank + i * Traits::team);
      const int l = line + start.line, d = depth + start.depth;
      const T* const from = strip.data + static_cast<std::ptrdiff_t>(l) * strip.line_stride +
                            static_cast<std::ptrdiff_t>(d) * strip.depth_stride;
      if (inside && strip.chunked) {
        const auto read = *reinterpret_cast<const Chunk<T, chunk>*>(from);
#pragma unroll
        for (int e = 0; e < chunk; ++e) into[i].at[e] = static_cast<Sum>(read.at[e]);
      } else {
#pragma unroll
        for (int e = 0; e < chunk; ++e) {
          const int at_line = strip.along_depth ? l : l + e;
          const int at_depth = strip.along_depth ? d + e : d;
          into[i].at[e] =
              at_line < strip.lines && at_depth < strip.depth ? static_cast<Sum>(from[e]) : Sum(0);
        }
      }
    }
  }

  // Puts them into scratch memory, where the lines of one step of k follow one another.
  template <int block, int width, int count>
  KOKKOS_FUNCTION static void keep(const Strip<T>& strip, const Chunk<Sum, chunk> (&from)[count],
                                   int rank, Sum* scratch) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const Start start = start_of<block>(strip, rank + i * Traits::team);
      Sum* const to = scratch + start.depth * width + start.line;
      if (strip.along_depth) {
#pragma unroll
        for (int e = 0; e < chunk; ++e) to[e * width] = from[i].at[e];
      } else {
        *reinterpret_cast<Chunk<Sum, chunk>*>(to) = from[i];
      }
    }
  }

  KOKKOS_FUNCTION static void multiply(const Sum* left, const Sum* right, const Seat& seat,
                                       Sum (&sum)[Traits::rows][Traits::columns]) {
#pragma unroll
    for (int p = 0; p < slice; ++p) {
      Chunk<Sum, chunk> x[Traits::rows / chunk], y[Traits::columns / chunk];
      const Sum* const from_a = left + p * Traits::line_a + seat.row;
      const Sum* const from_b = right + p * Traits::line_b + seat.column;
#pragma unroll
      for (int i = 0; i < Traits::rows / chunk; ++i) {
        x[i] = *reinterpret_cast<const Chunk<Sum, chunk>*>(from_a + row_at(i * chunk));
      }
#pragma unroll
      for (int j = 0; j < Traits::columns / chunk; ++j) {
        y[j] = *reinterpret_cast<const Chunk<Sum, chunk>*>(from_b + column_at(j * chunk));
      }
#pragma unroll
      for (int i = 0; i < Traits::rows; ++i) {
#pragma unroll
        for (int j = 0; j < Traits::columns; ++j) {
          sum[i][j] += x[i / chunk].at[i % chunk] * y[j / chunk].at[j % chunk];
        }
      }
    }
  }

  KOKKOS_FUNCTION void store(const Sum (&sum)[Traits::rows][Traits::columns], const Seat& seat,
                             const Place& place, T* matrix) const {
#pragma unroll
    for (int i = 0; i < Traits::rows; ++i) {
      const int row = place.row + seat.row + row_at(i);
      if (row >= m) continue;
#pragma unroll
      for (int j = 0; j < Traits::columns; j += chunk) {
        const int column = place.column + seat.column + column_at(j);
        T* const to = matrix + static_cast<std::ptrdiff_t>(row) * n + column;
        Chunk<T, chunk> result;
        const bool whole = chunked_c && column + chunk <= n;
        if (whole && beta != Sum(0)) result = *reinterpret_cast<const Chunk<T, chunk>*>(to);
#pragma unroll
        for (int e = 0; e < chunk; ++e) {
          const Sum product = alpha * sum[i][j + e];
          if (whole) {
            result.at[e] = mixed(product, result.at[e]);
          } else if (column + e < n) {
            to[e] = mixed(product, to[e]);
          }
        }
        if (whole) *reinterpret_cast<Chunk<T, chunk>*>(to) = result;
      }
    }
  }

  // With beta = 0 the old value is not looked at: it may be NaN.
  KOKKOS_FUNCTION T mixed(Sum product, const T& old) const {
    return static_cast<T>(beta == Sum(0) ? product : product + beta * static_cast<Sum>(old));
  }
};

}  // namespace breakeven::kokkos
