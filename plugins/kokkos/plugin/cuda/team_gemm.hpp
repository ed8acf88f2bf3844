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
#include <type_traits>

#include "blocked_product.hpp"

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
  static constexpr int stored = chunk;  // elements of c that are stored at once
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
  template <bool along_depth>
  static constexpr int piece_of = along_depth ? piece : chunk;
  static_assert(slice % run == 0 && piece % chunk == 0 && crew % across == 0 &&
                crew % (block_m / chunk) == 0 && crew % (block_n / chunk) == 0);
  // Behind each line, so that the lines of a warp meet every bank: `across` lanes that are a chunk
  // of lines apart share the 128 bytes of the banks.
  static constexpr int space = 8 / across;
};

template <class Traits, bool a_along_depth, bool b_along_depth, class Result = typename Traits::T>
struct TeamGemm : BlockedProduct<Traits, a_along_depth, b_along_depth, Result> {
  using Base = BlockedProduct<Traits, a_along_depth, b_along_depth, Result>;
  using Base::a, Base::b, Base::blocks, Base::blocks_m, Base::blocks_n, Base::c, Base::k, Base::m,
      Base::n, Base::next_a, Base::next_b;
  using typename Base::Policy, typename Base::Sum, typename Base::T, typename Base::Team;
  static constexpr int chunk = Traits::chunk, slice = Traits::slice, crews = Traits::crews;
  // Of scratch memory, in elements. Space behind lines that are stored transposed, and between
  // crews, so that what a warp stores at once meets every bank.
  static constexpr int line_a = Traits::block_m + (a_along_depth ? Traits::space : 0);
  static constexpr int line_b = Traits::block_n + (b_along_depth ? Traits::space : 0);
  static constexpr int half = slice * (line_a + line_b);
  static constexpr int crew_scratch = 2 * half + (crews > 1 ? 2 * chunk : 0);

  explicit TeamGemm(const Product<T, Sum>& product) : Base(product) {}

  static Policy policy(const Space& space, std::size_t league) {
    return Policy(space, static_cast<int>(league), Traits::team)
        .set_scratch_size(0, Kokkos::PerTeam(scratch_bytes));
  }
  static constexpr std::size_t scratch_bytes = sizeof(Sum) * crew_scratch * crews + 16;

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
  static constexpr int piece = Traits::template piece_of<along_depth>;
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
    const Place place = this->place_of(block % blocks_each);
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
  using typename Base::Place;

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
        Base::store_at(matrix, row, place.column + seat.column + column_at(j),
                       [&](int e) { return sum[i][j + e]; });
      }
    }
  }
};

}  // namespace breakeven::kokkos
