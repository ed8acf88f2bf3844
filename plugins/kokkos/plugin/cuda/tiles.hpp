// SPDX-License-Identifier: Apache-2.0
// Tile sizes for NVIDIA GPUs, with the registers of a multiprocessor and 48 KiB of scratch a team.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include "matrix_gemm.hpp"
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

// By tensor cores, which 16-bit types and f64 have. Scratch memory holds three slices of the large
// f64 blocks and two of those of 16 bits: of 48 KiB that is what fits. An H200 makes more of the
// large ones where a processor gets several of them, and of the others where it does not.
template <class T, class Sum>
constexpr bool has_matrix = sizeof(T) != 4;

template <class T, class Sum>
using LargeMatrixTiles =
    std::conditional_t<sizeof(T) == 8, MatrixTraits<T, Sum, 64, 32, 2, 2, 3, 2>,
                       MatrixTraits<T, Sum, 64, 64, 2, 2, 2, 2>>;
template <class T, class Sum>
using MediumMatrixTiles =
    std::conditional_t<sizeof(T) == 8, MatrixTraits<T, Sum, 32, 32, 2, 2, 5, 3>,
                       MatrixTraits<T, Sum, 64, 32, 2, 2, 3, 3>>;
template <class T, class Sum>
using SmallMatrixTiles =
    std::conditional_t<sizeof(T) == 8, MatrixTraits<T, Sum, 16, 16, 2, 2, 5, 6>,
                       MatrixTraits<T, Sum, 32, 32, 2, 2, 4, 4>>;

template <class Tiles>
constexpr bool by_tensor_cores = requires {
  Tiles::stages;
};

template <class Tiles, bool a_along_depth, bool b_along_depth, class Result = typename Tiles::T>
using KernelOf = typename std::conditional_t<
    by_tensor_cores<Tiles>,
    std::type_identity<MatrixGemm<Tiles, a_along_depth, b_along_depth, Result>>,
    std::type_identity<TeamGemm<Tiles, a_along_depth, b_along_depth, Result>>>::type;

// Whether these blocks are offered for parts of k: those by several crews are for batches.
template <class Tiles>
constexpr bool may_cut = Tiles::crews == 1;

// A model of how long a product takes.
struct Shape {
  std::size_t rows, columns, depth, batch;
};

struct Processors {
  std::size_t count;
  double rate;             // multiply-adds of one in a clock, in the type of the sums
  double matrix_rate = 0;  // those of its tensor cores in the type of the operands; 0: has none
};

// Without tensor cores (CUDA C++ Programming Guide, throughput of arithmetic instructions); of
// capabilities to come as if they were made for graphics.
template <class Sum>
constexpr double rate_of(int capability) {
  if (sizeof(Sum) == 4) return capability <= 80 ? 64 : 128;
  if (capability == 70 || capability == 80) return 32;
  return capability == 90 || capability == 100 ? 64 : 2;
}

// Of tensor cores, by the instructions that a warp gives (an H100 does twice as much of 16 bits by
// others). None of f64 where there is a 64th of f32's.
template <class T>
constexpr double matrix_rate_of(int capability) {
  if (sizeof(T) == 4 || capability < 80) return 0;
  if (sizeof(T) == 2) return capability == 80 || capability == 90 || capability == 100 ? 1024 : 512;
  return capability == 90 ? 128 : capability == 80 || capability == 100 ? 64 : 0;
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

// The share of the tensor cores' rate that such blocks reach where a processor has several teams,
// and of that the share where it has one, as an H200 shows.
template <class Tiles>
constexpr double matrix_share = sizeof(typename Tiles::T) == 8
                                    ? (area_of_team<Tiles> >= 8192   ? 0.92
                                       : area_of_team<Tiles> >= 4096 ? 0.88
                                                                     : 0.56)
                                    : (area_of_team<Tiles> >= 16384  ? 0.61
                                       : area_of_team<Tiles> >= 8192 ? 0.55
                                                                     : 0.45);
constexpr double share_of_one_team = 0.75;
// Until such a team's first slice is there and its block is stored, which others hide in part.
template <class Tiles>
constexpr double start_clocks = sizeof(typename Tiles::T) == 8 ? 400 : 1500;

// Clocks of a step of k, of a team that has a processor by itself: its arithmetic, its
// instructions, four warps' at once, and its accesses to scratch memory, of which it does one a
// clock.
template <class Tiles>
double clocks_of_step(const Processors& processors, bool inside) {
  if constexpr (by_tensor_cores<Tiles>)
    return area_of_team<Tiles> / (processors.matrix_rate * matrix_share<Tiles>);
  else
    return std::max({area_of_team<Tiles> / processors.rate,
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
  double clocks(const Shape& is, const Processors& processors) const {
    // Smaller blocks read more for each element of c.
    constexpr double more_reads = 1 + 2. / (Tiles::block_m + Tiles::block_n);
    const double of_steps = static_cast<double>(turns * steps) *
                            clocks_of_step<Tiles>(processors, is_inside<Tiles>(is)) * more_reads;
    if constexpr (by_tensor_cores<Tiles>)
      return of_steps / (turns == 1 ? share_of_one_team : 1) +
             static_cast<double>(turns) * start_clocks<Tiles>;
    else
      return of_steps;
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
  bool tensor_cores = false;
};

// work(tiles) with the type that is planned: by tensor cores, without them, or as the plan says.
template <class T, class Sum, class Work>
auto with_matrix_tiles(const Plan& plan, const Work& work) {
  if (plan.blocks == Blocks::large) return work(LargeMatrixTiles<T, Sum>());
  if (plan.blocks == Blocks::medium) return work(MediumMatrixTiles<T, Sum>());
  return work(SmallMatrixTiles<T, Sum>());
}

template <class T, class Sum, class Work>
auto with_scalar_tiles(const Plan& plan, const Work& work) {
  if constexpr (has_large<T, Sum>)
    if (plan.blocks == Blocks::large) return work(LargeTiles<T, Sum>());
  if (plan.blocks == Blocks::medium) return work(MediumTiles<T, Sum>());
  if (plan.blocks == Blocks::small) return work(SmallTiles<T, Sum>());
  return work(TinyTiles<T, Sum>());
}

template <class T, class Sum, class Work>
auto with_tiles(const Plan& plan, const Work& work) {
  if constexpr (has_matrix<T, Sum>)
    if (plan.tensor_cores) return with_matrix_tiles<T, Sum>(plan, work);
  return with_scalar_tiles<T, Sum>(plan, work);
}

// The cheapest; k is cut only where that is worth a twentieth.
template <class T, class Sum>
Plan plan_for(const Shape& is, const Processors& processors) {
  constexpr std::size_t most_parts = 8, shortest = 128;
  constexpr std::size_t most_sums = (std::size_t{64} << 20) / sizeof(Sum);
  constexpr double advantage = 1.05;
  Plan best;
  double least = std::numeric_limits<double>::infinity();
  const auto offer = [&](const Plan& plan) {
    with_tiles<T, Sum>(plan, [&]<class Tiles>(Tiles) {
      if (plan.parts > 1 && !may_cut<Tiles>) return;
      const Cut<Tiles> cut(is, plan.parts, processors.count);
      const double clocks = (cut.clocks(is, processors) + clocks_of_joining<Sum>(is, plan.parts)) *
                            (plan.parts > 1 ? advantage : 1);
      if (clocks < least) best = plan, least = clocks;
    });
  };
  const bool tensor_cores = has_matrix<T, Sum> && processors.matrix_rate > 0;
  for (std::size_t parts = 1; parts <= most_parts; ++parts) {
    if (parts > 1 && (is.depth / parts < shortest || is.depth % (8 * parts) != 0 || is.batch > 1 ||
                      parts * is.rows * is.columns > most_sums))
      continue;
    if (tensor_cores || has_large<T, Sum>) offer({Blocks::large, parts, tensor_cores});
    offer({Blocks::medium, parts, tensor_cores});
    offer({Blocks::small, parts, tensor_cores});
    offer({Blocks::tiny, parts});
  }
  return best;
}

// Tensor cores take lines that begin at multiples of 16 bytes. Others are copied first, where they
// are not too long for either and each element is used often enough.
template <class T>
bool are_aligned(const T* lines, std::size_t width) {
  return reinterpret_cast<std::uintptr_t>(lines) % 16 == 0 && width * sizeof(T) % 16 == 0;
}

template <class T, class Sum>
bool is_worth_aligning(const Product<T, Sum>& is) {
  constexpr std::size_t often = 64, most_bytes = std::size_t{1} << 30;
  const auto is_worth = [](const T* from, std::size_t width, std::size_t lines, std::size_t uses) {
    if (width > Strip<T, true>::longest) return false;
    return are_aligned(from, width) || (uses >= often && width * lines * sizeof(T) <= most_bytes);
  };
  const bool a_along = is.a_column == 1, b_along = is.b_row == 1;
  return is_worth(is.a, a_along ? is.k : is.m, is.batch * (a_along ? is.m : is.k), is.n) &&
         is_worth(is.b, b_along ? is.k : is.n, is.batch * (b_along ? is.n : is.k), is.m);
}

}  // namespace breakeven::kokkos
