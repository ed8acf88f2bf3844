// SPDX-License-Identifier: Apache-2.0
// Tile sizes for NVIDIA GPUs, with the registers of a multiprocessor and 48 KiB of scratch a team.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include "team_gemm.hpp"

namespace breakeven::kokkos {

// 8×8 tiles, whose eight warps on a processor leave each of them 255 registers: f64 takes all of
// them. f32: 128×128 blocks by 256 threads, two teams. f64: 128×64 by 128, in slices half as deep,
// which are as many bytes. Not for 16-bit types: what converts them does not fit into the 128
// registers of f32, and medium blocks of them read less than large ones of f32.
template <class T, class Sum>
using LargeTiles =
    TeamTraits<T, Sum, 8, 8, 8, 4, 2, sizeof(Sum) == 4 ? 4 : 2, sizeof(Sum) == 4 ? 8 : 4, 2>;

template <class T, class Sum>
constexpr bool has_large = std::is_same_v<T, Sum>;

// Half of that, for products that make too few large blocks, or a few too many for another wave. In
// slices of whole sectors: of 16-bit types twice as deep.
template <class T, class Sum>
using MediumTiles = TeamTraits<T, Sum, 8, 8, 8, 4, sizeof(Sum) == 4 ? 2 : 1, 2, 32 / sizeof(T),
                               sizeof(Sum) == 4 ? 3 : 4>;

// A fourth of it and less, in slices twice as deep where registers allow.
template <class T, class Sum>
using SmallTiles = TeamTraits<T, Sum, sizeof(Sum) == 4 ? 8 : 4, sizeof(Sum) == 4 ? 8 : 4, 8, 4, 1,
                              2, sizeof(Sum) == 4 ? 16 : 8, sizeof(Sum) == 4 ? 4 : 8>;

// For batches of small products: 16×16 by half a warp, eight of them, of whatever matrices, by a
// team. They wait for memory more than they compute. Where a processor has 100 KiB of scratch
// memory one team fewer fits than the registers allow.
template <class T, class Sum>
using TinyTiles = TeamTraits<T, Sum, 4, 4, 4, 4, 1, 1, 8, sizeof(Sum) == 4 ? 5 : 3, 8>;

// Whether these blocks are offered for parts of k: those by several crews are for batches.
template <class Tiles>
constexpr bool may_cut = Tiles::crews == 1;

// A model of how long a product takes.
struct Shape {
  std::size_t rows, columns, depth, batch;
};

struct Processors {
  std::size_t count;
  double rate;  // multiply-adds of one in a clock, in the type of the sums
};

// Without tensor cores (CUDA C++ Programming Guide, throughput of arithmetic instructions); of
// capabilities to come as if they were made for graphics.
template <class Sum>
constexpr double rate_of(int capability) {
  if (sizeof(Sum) == 4) return capability <= 80 ? 64 : 128;
  if (capability == 70 || capability == 80) return 32;
  return capability == 90 || capability == 100 ? 64 : 2;
}

// Whether blocks of the product ask for no bounds.
template <class Tiles>
bool is_inside(const Shape& is) {
  return Tiles::crews > 1 ? is.rows % Tiles::block_m == 0 && is.columns % Tiles::block_n == 0
                          : is.rows >= Tiles::block_m && is.columns >= Tiles::block_n;
}

// The share of multiply-adds in the loops (tests/machine_code), the least of all layouts.
template <class Tiles>
constexpr double fma_share(bool inside) {
  constexpr bool f64 = sizeof(typename Tiles::Sum) == 8;
  if (Tiles::crews > 1) return f64 ? (inside ? 0.56 : 0.4) : (inside ? 0.68 : 0.48);
  if (Tiles::rows < 8) return inside ? 0.64 : 0.52;
  return f64 ? (inside ? 0.77 : 0.69) : (inside ? 0.88 : 0.78);
}

// Accesses of 128 bytes to scratch memory that a step of k takes a team: each thread reads its rows
// and columns by chunks, a quarter of a warp at once; what is read from memory is written once.
template <class Tiles>
constexpr double scratch_accesses = Tiles::team / 8. * (Tiles::rows + Tiles::columns) / Tiles::chunk
                                    + sizeof(typename Tiles::Sum) *
                                          (Tiles::block_m + Tiles::block_n) * Tiles::crews / 128.;

template <class Tiles>
constexpr double area_of_team = Tiles::block_m* Tiles::block_n* Tiles::crews;

// Clocks of a step of k, of a team that has a processor by itself: its arithmetic, its
// instructions, four warps' at once, and its accesses to scratch memory, of which it does one a
// clock.
template <class Tiles>
double clocks_of_step(double rate, bool inside) {
  return std::max({area_of_team<Tiles> / rate,
                   area_of_team<Tiles> / (4 * 32 * fma_share<Tiles>(inside)),
                   scratch_accesses<Tiles>});
}

// Teams that a processor has to have to be busy: a warp stays with one of its four schedulers.
template <class Tiles>
constexpr std::size_t teams_at_once = Tiles::team >= 128 ? 1 : 128 / Tiles::team;

template <class Tiles>
struct Cut {
  std::size_t teams, steps, turns;  // of the busiest processor, each as long as a team by itself

  Cut(const Shape& is, std::size_t parts, std::size_t processors) {
    const auto pieces = [](std::size_t whole, std::size_t each) {
      return (whole + each - 1) / each;
    };
    teams = pieces(
        pieces(is.rows, Tiles::block_m) * pieces(is.columns, Tiles::block_n) * is.batch * parts,
        Tiles::crews);
    steps = pieces(is.depth / parts, Tiles::slice) * Tiles::slice;
    const std::size_t places = processors * teams_at_once<Tiles>;
    turns = pieces(teams, places) * teams_at_once<Tiles>;
  }
  double clocks(const Shape& is, double rate) const {
    // Smaller blocks read more for each element of c.
    constexpr double more_reads = 1 + 2. / (Tiles::block_m + Tiles::block_n);
    return static_cast<double>(turns * steps) * clocks_of_step<Tiles>(rate, is_inside<Tiles>(is)) *
           more_reads;
  }
  // The share of the processors' time that makes something of c.
  double busy(const Shape& is, std::size_t processors) const {
    return static_cast<double>(is.rows * is.columns) * static_cast<double>(is.depth * is.batch) /
           (static_cast<double>(turns * steps * processors) * area_of_team<Tiles>);
  }
};

// What adding the parts up costs: another launch, and every sum written to the second-level cache
// and read again.
template <class Sum>
double clocks_of_joining(const Shape& is, std::size_t parts) {
  constexpr double launch = 5000, bytes_of_a_clock = 5120;
  if (parts == 1) return 0;
  return launch +
         2. * sizeof(Sum) * static_cast<double>(parts * is.rows * is.columns) / bytes_of_a_clock;
}

enum class Blocks { large, medium, small, tiny };

struct Plan {
  Blocks blocks = Blocks::medium;
  std::size_t parts = 1;  // of k
};

// The cheapest; k is cut only where that is worth a twentieth.
template <class T, class Sum>
Plan plan_for(const Shape& is, const Processors& processors) {
  constexpr std::size_t most_parts = 8, shortest = 128;
  constexpr std::size_t most_sums = (std::size_t{64} << 20) / sizeof(Sum);
  constexpr double advantage = 1.05;
  Plan best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t parts = 1; parts <= most_parts; ++parts) {
    if (parts > 1 && (is.depth / parts < shortest || is.depth % (8 * parts) != 0 || is.batch > 1 ||
                      parts * is.rows * is.columns > most_sums))
      continue;
    const auto offer = [&]<class Tiles>(Blocks blocks, const Cut<Tiles>& cut) {
      if (parts > 1 && !may_cut<Tiles>) return;
      const double clocks = (cut.clocks(is, processors.rate) + clocks_of_joining<Sum>(is, parts)) *
                            (parts > 1 ? advantage : 1);
      if (clocks < least) best = {blocks, parts}, least = clocks;
    };
    if constexpr (has_large<T, Sum>)
      offer(Blocks::large, Cut<LargeTiles<T, Sum>>(is, parts, processors.count));
    offer(Blocks::medium, Cut<MediumTiles<T, Sum>>(is, parts, processors.count));
    offer(Blocks::small, Cut<SmallTiles<T, Sum>>(is, parts, processors.count));
    offer(Blocks::tiny, Cut<TinyTiles<T, Sum>>(is, parts, processors.count));
  }
  return best;
}

}  // namespace breakeven::kokkos
