// SPDX-License-Identifier: Apache-2.0
// Tile sizes for NVIDIA GPUs, for at most 168 registers a thread and 48 KiB of scratch a team.
#pragma once

#include <limits>
#include <type_traits>

#include "team_gemm.hpp"

namespace breakeven::kokkos {

// f32: 128×128 blocks of 8×8 tiles by 256 threads, two such teams on a processor. f64: 128×64 of
// 8×4, because sums take two registers each. Not for 16-bit types: what converts them does not fit
// into 128 registers as well, and medium blocks of them read less than large ones of f32.
template <class T, class Sum>
using LargeTiles =
    TeamTraits<T, Sum, 8, sizeof(Sum) == 4 ? 8 : 4, 8, 4, 2, 4, 8, sizeof(Sum) == 4 ? 2 : 1>;

template <class T, class Sum>
constexpr bool has_large = std::is_same_v<T, Sum>;

// Half of that, for products that make too few large blocks, or a few too many for another wave.
template <class T, class Sum>
using MediumTiles = TeamTraits<T, Sum, 8, sizeof(Sum) == 4 ? 8 : 4, 8, 4, sizeof(Sum) == 4 ? 2 : 1,
                               sizeof(Sum) == 4 ? 2 : 4, 8, 3>;

// A fourth of it and less, in slices twice as deep where registers allow.
template <class T, class Sum>
using SmallTiles = TeamTraits<T, Sum, sizeof(Sum) == 4 ? 8 : 4, sizeof(Sum) == 4 ? 8 : 4, 8, 4, 1,
                              2, sizeof(Sum) == 4 ? 16 : 8, sizeof(Sum) == 4 ? 4 : 8>;

// For batches of small products: 16×16 by half a warp, eight of them, of whatever matrices, by a
// team. They wait for memory more than they compute.
template <class T, class Sum>
using TinyTiles = TeamTraits<T, Sum, 4, 4, 4, 4, 1, 1, 8, sizeof(Sum) == 4 ? 5 : 3, 8>;

// Whether these blocks are offered for parts of k: those by several crews are for batches.
template <class Tiles>
constexpr bool may_cut = Tiles::crews == 1;

// A model of how long a product takes on `processors` multiprocessors. It counts multiply-adds of
// the busiest, and what takes as long as so many.
struct Shape {
  std::size_t rows, columns, depth, batch;
};

// Teams that a processor has to have to be busy: a warp stays with one of its four schedulers.
template <class Tiles>
constexpr std::size_t teams_at_once = Tiles::team >= 128 ? 1 : 128 / Tiles::team;

template <class Tiles>
struct Cut {
  std::size_t teams, steps, turns;  // of the busiest processor, each as long as a team by itself
  static constexpr double area = Tiles::block_m * Tiles::block_n * Tiles::crews;  // of a team

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
  double multiply_adds() const {
    // Smaller blocks read more for each element of c; tiny ones wait for scratch memory, in f32,
    // where others do not, for two and a half times as long as they compute.
    constexpr double more_reads = 1 + 2. / (Tiles::block_m + Tiles::block_n);
    constexpr double waits = Tiles::crews == 1 ? 1 : sizeof(typename Tiles::Sum) == 4 ? 2.5 : 1.25;
    return static_cast<double>(turns * steps) * area * more_reads * waits;
  }
  // The share of the processors' time that makes something of c.
  double busy(const Shape& is, std::size_t processors) const {
    return static_cast<double>(is.rows * is.columns) * static_cast<double>(is.depth * is.batch) /
           (static_cast<double>(turns * steps * processors) * area);
  }
};

// What adding the parts up costs: another launch, and every sum written and read again, an element
// through the second-level cache taking as long as eight multiply-adds.
template <class Sum>
double cost_of_joining(const Shape& is, std::size_t parts, std::size_t processors) {
  constexpr double launch = 2e6 / sizeof(Sum);  // 3 µs
  if (parts == 1) return 0;
  return launch +
         16. * static_cast<double>(parts * is.rows * is.columns) / static_cast<double>(processors);
}

enum class Blocks { large, medium, small, tiny };

struct Plan {
  Blocks blocks = Blocks::medium;
  std::size_t parts = 1;  // of k
};

// The cheapest; k is cut only where that is worth a twentieth.
template <class T, class Sum>
Plan plan_for(const Shape& is, std::size_t processors) {
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
      const double cost = (cut.multiply_adds() + cost_of_joining<Sum>(is, parts, processors)) *
                          (parts > 1 ? advantage : 1);
      if (cost < least) best = {blocks, parts}, least = cost;
    };
    if constexpr (has_large<T, Sum>)
      offer(Blocks::large, Cut<LargeTiles<T, Sum>>(is, parts, processors));
    offer(Blocks::medium, Cut<MediumTiles<T, Sum>>(is, parts, processors));
    offer(Blocks::small, Cut<SmallTiles<T, Sum>>(is, parts, processors));
    offer(Blocks::tiny, Cut<TinyTiles<T, Sum>>(is, parts, processors));
  }
  return best;
}

}  // namespace breakeven::kokkos
