// SPDX-License-Identifier: Apache-2.0
// Products by tensor cores. A team makes a block of c slice by slice of k, 64 bytes of each line of
// both operands, which are copied to scratch memory as they lie, some slices ahead. A warp takes
// half a slice at once, 32 bytes of each line, and has the next half on its way to registers.
//
// In scratch memory a line that lies along depth has 64 bytes one behind the other, whose 16-byte
// pieces change places in every second pair of lines; one across depth has all of a block's lines
// of one step of k, and a space behind them. Either way what a warp reads at once meets every bank.
#pragma once

#include <bit>
#include <type_traits>

#include "blocked_product.hpp"
#include "tensor_cores.hpp"

namespace breakeven::kokkos {

// A block is warps_down × warps_across tiles of warp_rows × warp_columns.
template <class Stored, class Summed, int warp_rows, int warp_columns, int warps_down,
          int warps_across, int slices_ahead, int least_teams>
struct MatrixTraits {
  using T = Stored;
  using Sum = Summed;
  static constexpr int warp_m = warp_rows, warp_n = warp_columns, warps_n = warps_across;
  static constexpr int block_m = warp_m * warps_down, block_n = warp_n * warps_across;
  static constexpr int slice = 64 / sizeof(T);
  static constexpr int stages = slices_ahead;  // slices that scratch memory holds
  static constexpr int crews = 1, team = 32 * warps_down * warps_across;
  static constexpr int resident_teams = least_teams;  // per processor, for the register budget
  static constexpr int piece = 16 / sizeof(T);        // elements of a copy
  template <bool along_depth>
  static constexpr int piece_of = piece;
  static constexpr int stored = 2;  // elements of c that are stored at once

  static_assert(warp_m % 16 == 0 && warp_n % 16 == 0 && stages > 1);
  static_assert(block_m * 4 % team == 0 && block_n * 4 % team == 0);
  // The places of a thread's copies differ in bits of their own.
  static_assert(std::has_single_bit(unsigned{block_m}) && std::has_single_bit(unsigned{block_n}) &&
                std::has_single_bit(unsigned{team}));
};

// Both operands are chunked.
template <class Traits, bool a_along_depth, bool b_along_depth, class Result = typename Traits::T>
struct MatrixGemm : BlockedProduct<Traits, a_along_depth, b_along_depth, Result> {
  using Base = BlockedProduct<Traits, a_along_depth, b_along_depth, Result>;
  using Base::a, Base::b, Base::blocks_m, Base::blocks_n, Base::c, Base::k, Base::m, Base::n,
      Base::next_a, Base::next_b;
  using typename Base::Policy, typename Base::Sum, typename Base::T, typename Base::Team;

  explicit MatrixGemm(const Product<T, Sum>& product) : Base(product) {}

  static Policy policy(const Space& space, std::size_t league) {
    return Policy(space, static_cast<int>(league), Traits::team)
        .set_scratch_size(0, Kokkos::PerTeam(scratch_bytes));
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const { make_block(team); }

  // Teams of Kokkos, and others that have their functions and tensor cores.
  template <class AnyTeam>
  KOKKOS_FUNCTION void make_block(const AnyTeam& team) const {
    const int blocks_each = blocks_m * blocks_n;
    const std::size_t matrix = team.league_rank() / blocks_each;
    const typename Base::Place place = this->place_of(team.league_rank() % blocks_each);
    auto left = a;
    auto right = b;
    left.data += matrix * next_a, right.data += matrix * next_b;
    make(team, left, right, place, c + matrix * m * n);
  }

 private:
  using PartT = Part<T>;
  struct Halves {
    PartT left[Traits::warp_m / 8], right[Traits::warp_n / 8];
  };

  // Of a step of k of an operand that lies across depth.
  template <int block>
  static constexpr int pitch = block * sizeof(T) + (sizeof(T) == 8 ? 32 : 16);
  template <int block, bool along_depth>
  static constexpr int bytes_of = along_depth ? block * 64 : Traits::slice* pitch<block>;

 public:
  static constexpr int bytes_of_a = bytes_of<Traits::block_m, a_along_depth>;
  static constexpr int stage_bytes = bytes_of_a + bytes_of<Traits::block_n, b_along_depth>;
  static constexpr std::size_t scratch_bytes = Traits::stages * stage_bytes + 16;

 private:
  // A copy of a slice: where its first element comes from, and where it goes.
  struct Copy {
    int line, step, offset;
  };
  template <int block, bool along_depth>
  KOKKOS_FUNCTION static constexpr Copy copy_of(int index) {
    if constexpr (along_depth) {
      const int line = index / 4, quarter = index % 4;
      return {line, quarter * Traits::piece, line * 64 + (quarter ^ line / 2 % 2 * 2) * 16};
    } else {
      constexpr int of_step = block / Traits::piece;
      const int step = index / of_step, line = index % of_step * Traits::piece;
      return {line, step, place_of_step(step) * pitch<block> + line * static_cast<int>(sizeof(T))};
    }
  }
  // Of 16-bit numbers the eight steps that are turned at once follow one another: those that the
  // four lanes of a line have in the first of their two words, then those of the second.
  KOKKOS_FUNCTION static constexpr int place_of_step(int step) {
    if constexpr (sizeof(T) == 8) return step;
    return step / 16 * 16 + step % 4 / 2 * 8 + step % 16 / 4 * 2 + step % 2;
  }
  template <int block>
  static constexpr int copies = block * 4 / Traits::team;  // of a thread

  // A thread's copies of one whole slice after the other, of lines that may be only partly inside
  // the matrix: zeros there.
  template <int block, bool along_depth>
  struct Lines {
    const T* from;
    int stride, step, first;  // its first copy's place in scratch memory
    int inside;               // bytes of a copy across depth, or lines from the first copy's on

    KOKKOS_FUNCTION Lines(const Strip<T, along_depth>& strip, int line, int rank) {
      const Copy copy = copy_of<block, along_depth>(rank);
      from = strip.at(line + copy.line, copy.step);
      stride = strip.stride, first = copy.offset;
      step = along_depth ? Traits::slice : Traits::slice * stride;
      inside = strip.lines - line - copy.line;
      if constexpr (!along_depth)
        inside = Kokkos::max(0, Kokkos::min(inside, int{Traits::piece})) * int{sizeof(T)};
    }
    template <class Cores>
    KOKKOS_FUNCTION void fetch(typename Cores::Address to) {
#pragma unroll
      for (int i = 0; i < copies<block>; ++i) {
        // The others lie behind it as the team's multiples lie behind copy 0.
        const Copy copy = copy_of<block, along_depth>(i * Traits::team);
        const int at = along_depth ? copy.line * stride : copy.step * stride;
        Cores::copy(to + first + copy.offset, from + at,
                    !along_depth         ? inside
                    : inside > copy.line ? 16
                                         : 0);
      }
      from += step;
    }
  };

  // A slice that may reach out of the matrix either way.
  template <class Cores, int block, bool along_depth>
  KOKKOS_FUNCTION static void fetch_edge(const Strip<T, along_depth>& strip, int line, int step,
                                         int rank, typename Cores::Address to) {
#pragma unroll 1
    for (int i = 0; i < copies<block>; ++i) {
      const Copy copy = copy_of<block, along_depth>(rank + i * Traits::team);
      const int l = line + copy.line, d = step + copy.step;
      // Elements of it that are inside.
      const int left = along_depth ? strip.depth - d : strip.lines - l;
      const bool is_there = along_depth ? l < strip.lines : d < strip.depth;
      const int most = is_there ? Traits::piece : 0, inside = Kokkos::clamp(left, 0, most);
      const T* const from = inside > 0 ? strip.at(l, d) : strip.data;
      Cores::copy(to + copy.offset, from, inside * int{sizeof(T)});
    }
  }

  template <class AnyTeam>
  KOKKOS_FUNCTION void make(const AnyTeam& team, const Strip<T, a_along_depth>& left,
                            const Strip<T, b_along_depth>& right, const typename Base::Place& place,
                            Result* to) const {
    using Cores = typename TensorCoresOf<AnyTeam, T>::type;
    constexpr int stages = Traits::stages;
    const int rank = team.team_rank(), lane = rank % 32, warp = rank / 32;
    using Address = typename Cores::Address;
    const Address scratch = Cores::address_of(
        static_cast<std::byte*>(team.team_scratch(0).get_shmem_aligned(scratch_bytes - 16, 16)));
    Lines<Traits::block_m, a_along_depth> rows(left, place.row, rank);
    Lines<Traits::block_n, b_along_depth> columns(right, place.column, rank);
    const auto fetch = [&](Address into) {
      rows.template fetch<Cores>(into), columns.template fetch<Cores>(into + bytes_of_a);
    };
    const int warp_row = warp / Traits::warps_n * Traits::warp_m;
    const int warp_column = warp % Traits::warps_n * Traits::warp_n;
    Halves now, next;
    const auto load = [&](Halves& into, Address from, int half) {
      load_half<Cores, Traits::block_m, a_along_depth>(into.left, from, warp_row, half, lane);
      load_half<Cores, Traits::block_n, b_along_depth>(into.right, from + bytes_of_a, warp_column,
                                                       half, lane);
    };
    Sum sum[Traits::warp_m / 16][Traits::warp_n / 8][4] = {};
    const auto multiply = [&](const Halves& with) {
#pragma unroll
      for (int i = 0; i < Traits::warp_m / 16; ++i) {
#pragma unroll
        for (int j = 0; j < Traits::warp_n / 8; ++j)
          Cores::multiply_add(sum[i][j], with.left[2 * i], with.left[2 * i + 1], with.right[j]);
      }
    };

    // What is left of k behind its whole slices comes first, so that all others are alike.
    const int rest = k % Traits::slice, slices = k / Traits::slice + (rest > 0 ? 1 : 0);
    if (rest > 0) {
      fetch_edge<Cores, Traits::block_m>(left, place.row, k - rest, rank, scratch);
      fetch_edge<Cores, Traits::block_n>(right, place.column, k - rest, rank, scratch + bytes_of_a);
    } else if (slices > 0) {
      fetch(scratch);
    }
    Cores::end_group();
#pragma unroll
    for (int slice = 1; slice < stages; ++slice) {
      if (slice < slices) fetch(scratch + slice * stage_bytes);
      Cores::end_group();
    }
    Cores::template wait_for_groups<stages - 1>();
    Cores::meet(team);
    if (slices > 0) load(now, scratch, 0);
    int stage = 0;
    for (int slice = 0; slice < slices; ++slice) {
      const Address here = scratch + stage * stage_bytes;
      stage = stage + 1 == stages ? 0 : stage + 1;
      load(next, here, 1);
      multiply(now);
      Cores::template wait_for_groups<stages - 2>();
      Cores::meet(team);
      load(now, scratch + stage * stage_bytes, 0);  // behind the last slice what is used no more
      if (slice + stages < slices) fetch(here);     // which all have read
      Cores::end_group();
      multiply(next);
    }

#pragma unroll
    for (int i = 0; i < Traits::warp_m / 8; ++i) {
      const int row = place.row + warp_row + 8 * i + lane / 4;
      if (row >= m) continue;
#pragma unroll
      for (int j = 0; j < Traits::warp_n / 8; ++j) {
        const int column = place.column + warp_column + 8 * j + lane % 4 * 2;
        Base::store_at(to, row, column, [&](int e) { return sum[i / 2][j][i % 2 * 2 + e]; });
      }
    }
  }

  // What a lane takes of half a slice of the warp's lines.
  template <class Cores, int block, bool along_depth, int count>
  KOKKOS_FUNCTION static void load_half(PartT (&into)[count], typename Cores::Address from,
                                        int first, int half, int lane) {
    const int line = lane / 4, quarter = lane % 4;
    if constexpr (along_depth) {
      const auto at = from + (first + line) * 64 +
                      ((half * 2 + quarter / 2) ^ line / 2 % 2 * 2) * 16 + quarter % 2 * 8;
#pragma unroll
      for (int i = 0; i < count; ++i) Cores::load(into[i], at + i * 8 * 64);
    } else if constexpr (sizeof(T) == 8) {
      const auto at = from + (half * 4 + quarter) * pitch<block> + (first + line) * 8;
#pragma unroll
      for (int i = 0; i < count; ++i) Cores::load(into[i], at + i * 8 * 8);
    } else {
      const auto at = from + (half * 16 + lane % 16) * pitch<block> + (first + lane / 16 * 8) * 2;
#pragma unroll
      for (int i = 0; i < count; i += 2) Cores::load_turned(into[i], into[i + 1], at + i * 8 * 2);
    }
  }
};

// What brings it about that operands are chunked: their lines, which lie one behind the other, go
// to places that begin at multiples of 16 bytes.
template <class T>
struct SpreadLines {
  const T* from;
  T* to;
  std::size_t width, pitch;  // elements from one line to the next, in `from` and in `to`

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    if (width > 0) to[i / width * pitch + i % width] = from[i];
  }
};

template <class T>
constexpr std::size_t spread_pitch(std::size_t width) {
  constexpr std::size_t piece = 16 / sizeof(T);
  return (width + piece - 1) / piece * piece;
}

}  // namespace breakeven::kokkos
