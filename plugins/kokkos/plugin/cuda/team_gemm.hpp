// SPDX-License-Identifier: Apache-2.0
// Products on a device whose threads share scratch memory: a crew of threads makes a block of c,
// slice by slice of k. While it multiplies one slice, the next one is on its way to registers and
// from there to the other half of its scratch memory. A team is one crew, or several where blocks
// are so small that a crew is less than a warp or two.
//
// How the operands lie is known when this is compiled. Blocks inside the matrix with aligned
// operands have a path of their own that asks for no bounds; the others ask for each element.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include "../product.hpp"

namespace breakeven::kokkos {

// How a block is dealt out. `T` is stored, `Sum` computed with; 16 bytes of Sum are a chunk, the
// unit of access. A warp makes warp_rows × warp_columns chunked subtiles of its threads; see
// `Seat`.
template <class Stored, class Summed, int thread_rows, int thread_columns, int lanes_down,
          int lanes_across, int warps_down, int warps_across, int depth, int least_teams,
          int crews_of_team = 1>
struct TeamTraits {
  using T = Stored;
  using Sum = Summed;
  static constexpr int chunk = 16 / sizeof(Sum);
  static constexpr int rows = thread_rows, columns = thread_columns;  // of a thread's tile
  static constexpr int lanes_m = lanes_down, lanes_n = lanes_across;
  static constexpr int warps_m = warps_down, warps_n = warps_across;
  static constexpr int block_m = rows * lanes_m * warps_m, block_n = columns * lanes_n * warps_n;
  static constexpr int slice = depth;
  static constexpr int crew = lanes_m * lanes_n * warps_m * warps_n;
  static constexpr int crews = crews_of_team, team = crew * crews;
  static constexpr int resident_teams = least_teams;  // per processor, for the register budget

  static_assert(block_m <= 256 && block_n <= 256 && slice <= 256);
  static_assert(rows % chunk == 0 && columns % chunk == 0 && slice % chunk == 0);
  // Steps of k that lie next to one another and are dealt out first: whole sectors of 32 bytes. A
  // thread takes a piece of them at once.
  static constexpr int run = std::min(slice, sizeof(T) == 2 ? 16 : 8);
  static constexpr int piece = std::min(16 / static_cast<int>(sizeof(T)), run / 2);
  static constexpr int across = run / piece;
  static_assert(slice % run == 0 && piece % chunk == 0 && crew % across == 0 &&
                crew % (block_m / chunk) == 0 && crew % (block_n / chunk) == 0);
  // Behind each line, so that the lines of a warp meet every bank: `across` lanes that are a chunk
  // of lines apart share the 128 bytes of the banks.
  static constexpr int space = 8 / across;
};

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

  template <int chunk>
  static Strip of(const T* data, std::size_t lines, std::size_t depth, std::size_t line_stride,
                  std::size_t depth_stride, std::size_t batch_stride) {
    const std::size_t stride = along_depth ? line_stride : depth_stride;
    // Chunks are found by offsets of int, less than 256 lines or steps of k away.
    constexpr std::size_t longest = std::numeric_limits<int>::max() / 256;
    const bool chunked = stride <= longest &&
                         reinterpret_cast<std::uintptr_t>(data) % (sizeof(T) * chunk) == 0 &&
                         stride % chunk == 0 && batch_stride % chunk == 0;
    return {data, static_cast<int>(lines), static_cast<int>(depth), static_cast<int>(stride),
            chunked};
  }

  KOKKOS_FUNCTION const T* at(int line, int step) const {
    return along_depth ? data + static_cast<std::ptrdiff_t>(line) * stride + step
                       : data + static_cast<std::ptrdiff_t>(step) * stride + line;
  }
};

// What is stored is `Result`: T, or Sum where k is cut.
template <class Traits, bool a_along_depth, bool b_along_depth, class Result = typename Traits::T>
struct TeamGemm {
  using T = typename Traits::T;
  using Sum = typename Traits::Sum;
  using Policy =
      Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<Traits::team, Traits::resident_teams>>;
  using Team = typename Policy::member_type;
  static constexpr int chunk = Traits::chunk, slice = Traits::slice;
  static constexpr int crews = Traits::crews, threads = Traits::team;
  // Of scratch memory, in elements. Space behind lines that are stored transposed, and between
  // crews, so that what a warp stores at once meets every bank.
  static constexpr int line_a = Traits::block_m + (a_along_depth ? Traits::space : 0);
  static constexpr int line_b = Traits::block_n + (b_along_depth ? Traits::space : 0);
  static constexpr int half = slice * (line_a + line_b);
  static constexpr int crew_scratch = 2 * half + (crews > 1 ? 2 * chunk : 0);

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
  explicit TeamGemm(const Product<T, Sum>& product)
      : a(decltype(a)::template of<piece<a_along_depth>>(product.a, product.m, product.k,
                                                         product.a_row, product.a_column,
                                                         product.m * product.k)),
        b(decltype(b)::template of<piece<b_along_depth>>(product.b, product.n, product.k,
                                                         product.b_column, product.b_row,
                                                         product.k * product.n)),
        m(static_cast<int>(product.m)),
        n(static_cast<int>(product.n)),
        k(static_cast<int>(product.k)),
        next_a(product.m * product.k),
        next_b(product.k * product.n),
        blocks_m((m + Traits::block_m - 1) / Traits::block_m),
        blocks_n((n + Traits::block_n - 1) / Traits::block_n),
        blocks(static_cast<int>(product.batch * blocks_m * blocks_n)),
        alpha(product.alpha),
        beta(product.beta) {
    if constexpr (std::is_same_v<Result, T>) {
      c = product.c;
      chunked_c = reinterpret_cast<std::uintptr_t>(c) % (sizeof(T) * chunk) == 0 && n % chunk == 0;
    }
  }

  static Policy policy(const Space& space, std::size_t league) {
    return Policy(space, static_cast<int>(league), Traits::team)
        .set_scratch_size(0, Kokkos::PerTeam(scratch_bytes));
  }
  static constexpr std::size_t scratch_bytes = sizeof(Sum) * crew_scratch * crews + 16;
  int teams() const { return (blocks - 1) / crews + 1; }

  // Where a thread's tile lies in its crew's block: its rows come in chunks that alternate with
  // those of the other lanes of the warp, so that a warp reads scratch memory without conflicts.
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

  template <bool along_depth>
  static constexpr int piece = along_depth ? Traits::piece : chunk;
  template <int block, bool along_depth>
  using Pieces =
      Chunk<Sum, piece<along_depth>>[block * slice / (piece<along_depth> * Traits::crew)];

  // Piece `index` of a slice starts at this line and step of k. Those of a thread are its rank's
  // and the ones that lie behind it as the crew's multiples lie behind piece 0.
  struct Start {
    int line, step;
  };
  template <int block, bool along_depth>
  KOKKOS_FUNCTION static constexpr Start start_of(int index) {
    constexpr int across = Traits::across;
    if constexpr (!along_depth)
      return {index % (block / chunk) * chunk, index / (block / chunk)};
    else if constexpr (Traits::run == slice)
      return {index / across, index % across * Traits::piece};
    else
      return {index / across % block,
              index % across * Traits::piece + index / (across * block) * Traits::run};
  }
  // The line of scratch memory that holds this step: the chunks of the pieces of a run take turns.
  KOKKOS_FUNCTION static constexpr int depth_of(int step) {
    if constexpr (Traits::piece == chunk) return step;
    const int inside = step % Traits::run;
    return step - inside + inside % Traits::piece / chunk * (Traits::across * chunk) +
           inside / Traits::piece * chunk + step % chunk;
  }

  // Cuts the k of a single product into equal parts, each a multiple of a chunk: matrices of their
  // own, whose products follow one another in `sums`.
  void cut_into(int parts, Result* sums) {
    k /= parts, blocks *= parts;
    a.depth = b.depth = k;
    next_a = std::size_t(k) * (a_along_depth ? 1 : a.stride);
    next_b = std::size_t(k) * (b_along_depth ? 1 : b.stride);
    c = sums, alpha = 1, beta = 0;
    chunked_c = n % chunk == 0;  // a workspace is aligned
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const { make_block(team); }

  // Teams of Kokkos, and others that have their functions.
  template <class AnyTeam>
  KOKKOS_FUNCTION void make_block(const AnyTeam& team) const {
    const int crew = crews == 1 ? 0 : team.team_rank() / Traits::crew;
    const int rank = crews == 1 ? team.team_rank() : team.team_rank() % Traits::crew;
    int block = team.league_rank() * crews + crew;
    // The last team's idle crews do what another does, for the barriers, and store nothing.
    const bool idle = crews > 1 && block >= blocks;
    if (idle) block = blocks - 1;
    const int blocks_each = blocks_m * blocks_n;
    const std::size_t matrix = block / blocks_each;
    const Place place = place_of(block % blocks_each);
    auto left = a;
    auto right = b;
    left.data += matrix * next_a, right.data += matrix * next_b;
    Sum* const scratch =
        static_cast<Sum*>(team.team_scratch(0).get_shmem_aligned(scratch_bytes - 16, 16)) +
        crew * crew_scratch;
    const Seat seat(rank);
    Sum sum[Traits::rows][Traits::columns] = {};
    // Crews of a team meet at the same barriers, and so take the same path.
    const bool inside =
        left.chunked && right.chunked &&
        (crews > 1 ? m % Traits::block_m == 0 && n % Traits::block_n == 0
                   : place.row + Traits::block_m <= m && place.column + Traits::block_n <= n);
    const int whole = inside ? k / slice * slice : 0;  // steps of k on the path without bounds
    if (whole > 0) {
      Whole<Traits::block_m, a_along_depth> rows(left, place.row, rank);
      Whole<Traits::block_n, b_along_depth> columns(right, place.column, rank);
      make(team, rank, whole, rows, columns, scratch, seat, sum);
    }
    if (whole < k) {
      Edge<Traits::block_m, a_along_depth> rows{left, place.row, whole, rank};
      Edge<Traits::block_n, b_along_depth> columns{right, place.column, whole, rank};
      make(team, rank, k - whole, rows, columns, scratch, seat, sum);
    }
    if (!idle) store(sum, seat, place, c + matrix * m * n);
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

  // A thread's pieces of one slice after the other, all inside the matrix.
  template <int block, bool along_depth>
  struct Whole {
    const T* from;
    int stride, step;

    KOKKOS_FUNCTION Whole(const Strip<T, along_depth>& strip, int line, int rank) {
      const Start start = start_of<block, along_depth>(rank);
      from = strip.at(line + start.line, start.step);
      stride = strip.stride;
      step = along_depth ? slice : slice * stride;
    }
    KOKKOS_FUNCTION void fetch(Pieces<block, along_depth>& into) {
#pragma unroll
      for (int i = 0; i < static_cast<int>(std::extent_v<Pieces<block, along_depth>>); ++i) {
        const Start offset = start_of<block, along_depth>(i * Traits::crew);
        const int at = along_depth ? offset.line * stride + offset.step : offset.step * stride;
        const auto read = *reinterpret_cast<const Chunk<T, piece<along_depth>>*>(from + at);
#pragma unroll
        for (int e = 0; e < piece<along_depth>; ++e) into[i].at[e] = static_cast<Sum>(read.at[e]);
      }
      from += step;
    }
  };

  // The same where a slice may reach out of the matrix: zeros there.
  template <int block, bool along_depth>
  struct Edge {
    const Strip<T, along_depth>& strip;
    int line, depth, rank;

    KOKKOS_FUNCTION void fetch(Pieces<block, along_depth>& into) {
#pragma unroll
      for (int i = 0; i < static_cast<int>(std::extent_v<Pieces<block, along_depth>>); ++i) {
        const Start start = start_of<block, along_depth>(rank + i * Traits::crew);
        const int l = line + start.line, d = depth + start.step;
        const T* const from = strip.at(l, d);
#pragma unroll
        for (int e = 0; e < piece<along_depth>; ++e) {
          const int at_line = along_depth ? l : l + e, at_depth = along_depth ? d + e : d;
          into[i].at[e] =
              at_line < strip.lines && at_depth < strip.depth ? static_cast<Sum>(from[e]) : Sum(0);
        }
      }
      depth += slice;
    }
  };

  // Adds `steps` of k, slice by slice.
  template <class AnyTeam, bool along_a, bool along_b, template <int, bool> class Source>
  KOKKOS_FUNCTION static void make(const AnyTeam& team, int rank, int steps,
                                   Source<Traits::block_m, along_a>& rows,
                                   Source<Traits::block_n, along_b>& columns, Sum* scratch,
                                   const Seat& seat, Sum (&sum)[Traits::rows][Traits::columns]) {
    const Start start_a = start_of<Traits::block_m, along_a>(rank);
    const Start start_b = start_of<Traits::block_n, along_b>(rank);
    Pieces<Traits::block_m, along_a> next_a;
    Pieces<Traits::block_n, along_b> next_b;
    Sum *now = scratch, *next = scratch + half;
    const auto keep_in = [&](Sum* to) {
      keep<Traits::block_m, line_a, along_a>(next_a,
                                             to + depth_of(start_a.step) * line_a + start_a.line);
      to += slice * line_a;
      keep<Traits::block_n, line_b, along_b>(next_b,
                                             to + depth_of(start_b.step) * line_b + start_b.line);
    };
    const auto multiply_from = [&](const Sum* from) {
      multiply(from + seat.row, from + slice * line_a + seat.column, sum);
    };
    rows.fetch(next_a), columns.fetch(next_b);
    keep_in(now);
    team.team_barrier();
    for (steps -= slice; steps > 0; steps -= slice) {
      rows.fetch(next_a), columns.fetch(next_b);
      multiply_from(now);
      keep_in(next);
      team.team_barrier();
      Sum* const multiplied = now;
      now = next, next = multiplied;
    }
    multiply_from(now);
    team.team_barrier();  // before another writes where this one reads
  }

  // Puts them into scratch memory, where the lines of one step of k follow one another.
  template <int block, int width, bool along_depth>
  KOKKOS_FUNCTION static void keep(const Pieces<block, along_depth>& from, Sum* to) {
#pragma unroll
    for (int i = 0; i < static_cast<int>(std::extent_v<Pieces<block, along_depth>>); ++i) {
      const Start offset = start_of<block, along_depth>(i * Traits::crew);
      Sum* const at = to + depth_of(offset.step) * width + offset.line;
      if constexpr (along_depth) {
#pragma unroll
        for (int e = 0; e < piece<along_depth>; ++e) at[depth_of(e) * width] = from[i].at[e];
      } else {
        *reinterpret_cast<Chunk<Sum, chunk>*>(at) = from[i];
      }
    }
  }

  KOKKOS_FUNCTION static void multiply(const Sum* left, const Sum* right,
                                       Sum (&sum)[Traits::rows][Traits::columns]) {
#pragma unroll
    for (int p = 0; p < slice; ++p) {
      Chunk<Sum, chunk> x[Traits::rows / chunk], y[Traits::columns / chunk];
      const Sum* const from_a = left + p * line_a;
      const Sum* const from_b = right + p * line_b;
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
                             const Place& place, Result* matrix) const {
#pragma unroll
    for (int i = 0; i < Traits::rows; ++i) {
      const int row = place.row + seat.row + row_at(i);
      if (row >= m) continue;
#pragma unroll
      for (int j = 0; j < Traits::columns; j += chunk) {
        const int column = place.column + seat.column + column_at(j);
        Result* const to = matrix + static_cast<std::ptrdiff_t>(row) * n + column;
        Chunk<Result, chunk> result;
        const bool whole = chunked_c && column + chunk <= n;
        if (whole && beta != Sum(0)) result = *reinterpret_cast<const Chunk<Result, chunk>*>(to);
#pragma unroll
        for (int e = 0; e < chunk; ++e) {
          const Sum product = alpha * sum[i][j + e];
          if (whole) {
            result.at[e] = mixed(product, result.at[e]);
          } else if (column + e < n) {
            to[e] = mixed(product, to[e]);
          }
        }
        if (whole) *reinterpret_cast<Chunk<Result, chunk>*>(to) = result;
      }
    }
  }

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
