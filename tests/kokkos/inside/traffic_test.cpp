// SPDX-License-Identifier: Apache-2.0
// What the kernels of kokkos-cuda ask of a GPU's memory on their fast paths: whole sectors of 32
// bytes, and of shared memory no bank twice. They run here as large as a GPU runs them.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "cuda/tiles.hpp"
#include "elementwise.hpp"
#include "fiber_team.hpp"
#include "fiber_tensor_cores.hpp"
#include "norm.hpp"
#include "tests/support/block/memory.hpp"

namespace breakeven::kokkos {
namespace {

// work(block, thread) for so many blocks.
block::Traffic traffic_of(const std::vector<block::Array>& arrays, int blocks, int threads,
                          const std::function<void(int, unsigned)>& work) {
  block::Traffic traffic;
  for (int i = 0; i < blocks; ++i)
    block::run({.threads = static_cast<unsigned>(threads), .arrays = arrays, .traffic = &traffic},
               [&](unsigned thread) { work(i, thread); });
  return traffic;
}

constexpr int blocks = 3, threads = 256;

template <class T, std::size_t width, class Formula, std::size_t inputs>
void expect_whole_sectors(Formula formula) {
  const std::size_t n = blocks * threads * width;
  std::vector<block::Memory<T>> operands(inputs + 1, block::Memory<T>(n));
  std::vector<block::Array> arrays;
  for (const auto& operand : operands) arrays.push_back(operand.array());
  Elementwise<T, width, Formula, inputs> body{n, operands[inputs].data(), {}, formula};
  for (std::size_t i = 0; i < inputs; ++i) body.in[i] = operands[i].data();
  const block::Traffic is = traffic_of(arrays, blocks, threads, [&](int block, unsigned thread) {
    body(static_cast<std::size_t>(block) * threads + thread);
  });
  EXPECT_EQ(is.sectors, (inputs + 1) * n * sizeof(T) / 32);
  EXPECT_EQ(is.sectors, is.least_sectors);
}

template <class T>
void expect_whole_sectors_of_all_operations() {
  expect_whole_sectors<T, 16 / sizeof(T), MultiplyAddFormula, 3>({});
  expect_whole_sectors<T, 16 / sizeof(T), TanhFormula, 1>({});
  expect_whole_sectors<T, 16 / sizeof(T), TanhGradientFormula, 2>({});
  expect_whole_sectors<T, 1, MultiplyAddFormula, 3>({});  // operands at odd addresses
}

TEST(Traffic, OfElementwiseOperationsIsWholeSectors) {
  expect_whole_sectors_of_all_operations<float>();
  expect_whole_sectors_of_all_operations<double>();
}

template <class T>
void expect_whole_sectors_of_norms() {
  constexpr std::size_t vectors = 2, per_vector = threads, length = threads * 16 / sizeof(T);
  const std::size_t n = per_vector * length;
  block::Memory<T> x(vectors * n), out(vectors);
  block::Memory<double> sums(vectors * per_vector);
  const Stretches<T, true, false> stretches{x.data(), sums.data(), n, per_vector, length};
  const auto team = [](int league) { return FiberTeam{league, threads}; };
  constexpr int some = 3;  // of them, the last one of another vector's
  block::Traffic is = traffic_of({x.array(), sums.array()}, some, threads, [&](int i, unsigned) {
    stretches.sum_stretch(team(i + static_cast<int>(per_vector) - some + 1));
  });
  EXPECT_EQ(is.sectors - some, some * length * sizeof(T) / 32);  // one more for each result
  EXPECT_EQ(is.passes, is.least_passes);

  const Results<T, true> results{sums.data(), out.data(), per_vector};
  is = traffic_of({sums.array(), out.array()}, vectors, threads,
                  [&](int i, unsigned) { results.join(team(i)); });
  EXPECT_EQ(is.sectors - vectors, vectors * per_vector * sizeof(double) / 32);
  const Results<T, true> short_ones{sums.data(), out.data(), 1};
  is = traffic_of({sums.array(), out.array()}, 1, vectors,
                  [&](int, unsigned thread) { short_ones(thread); });
  EXPECT_EQ(is.sectors, is.least_sectors);
}

TEST(Traffic, OfNormsIsWholeSectors) {
  expect_whole_sectors_of_norms<float>();
  expect_whole_sectors_of_norms<double>();
}

// A team's blocks, of two slices, all inside their matrices.
template <class Traits, bool a_along, bool b_along, class Result = typename Traits::T>
void expect_good_accesses() {
  using T = typename Traits::T;
  using Sum = typename Traits::Sum;
  using Kernel = KernelOf<Traits, a_along, b_along, Result>;
  constexpr std::size_t m = Traits::block_m, n = Traits::block_n, batch = Traits::crews;
  constexpr std::size_t k = 2 * Traits::slice;
  block::Memory<T> a(batch * m * k), b(batch * k * n), c(batch * m * n);
  block::Memory<Sum> sums(batch * m * n);
  Kernel kernel(Product<T, Sum>{a.data(), b.data(), c.data(), m, n, k, batch, a_along ? k : 1,
                                a_along ? 1 : m, b_along ? 1 : n, b_along ? k : 1, 1, 0});
  constexpr bool is_part = !std::is_same_v<Result, T>;
  if constexpr (is_part) kernel.cut_into(1, sums.data());
  const block::Traffic is = traffic_of({a.array(), b.array(), is_part ? sums.array() : c.array()},
                                       1, Kernel::threads, [&](int, unsigned) {
                                         kernel.make_block(FiberTeam{0, Kernel::threads});
                                       });
  // In batches a slice of 16-bit elements along k is half a sector, whose rest the next one takes.
  const std::size_t halves = sizeof(T) == 2 && Traits::crews > 1 ? 2 : 1;
  // Four lanes of a tensor core's tile store eight elements of a row.
  const std::size_t halves_of_c = by_tensor_cores<Traits> && sizeof(Result) == 2 ? 2 : 1;
  EXPECT_EQ(is.sectors, batch *
                            (m * k * sizeof(T) * (a_along ? halves : 1) +
                             k * n * sizeof(T) * (b_along ? halves : 1) +
                             m * n * sizeof(Result) * halves_of_c) /
                            32);
  EXPECT_EQ(is.passes, is.least_passes);
}

template <class Traits>
void expect_good_accesses_of_all_layouts() {
  SCOPED_TRACE(testing::Message() << Traits::block_m << "×" << Traits::block_n << " of "
                                  << sizeof(typename Traits::T) << " bytes");
  expect_good_accesses<Traits, true, false>();
  expect_good_accesses<Traits, true, true>();
  expect_good_accesses<Traits, false, true>();
  expect_good_accesses<Traits, false, false>();
  if constexpr (may_cut<Traits>) expect_good_accesses<Traits, true, false, typename Traits::Sum>();
}

template <class T, class Sum>
void expect_good_accesses_of_all_tiles() {
  if constexpr (has_large<T, Sum>) expect_good_accesses_of_all_layouts<LargeTiles<T, Sum>>();
  expect_good_accesses_of_all_layouts<MediumTiles<T, Sum>>();
  expect_good_accesses_of_all_layouts<SmallTiles<T, Sum>>();
  expect_good_accesses_of_all_layouts<TinyTiles<T, Sum>>();
  if constexpr (has_matrix<T, Sum>) {
    expect_good_accesses_of_all_layouts<LargeMatrixTiles<T, Sum>>();
    expect_good_accesses_of_all_layouts<MediumMatrixTiles<T, Sum>>();
    expect_good_accesses_of_all_layouts<SmallMatrixTiles<T, Sum>>();
  }
}

TEST(Traffic, OfProductsIsWholeSectorsAndMeetsNoBankTwice) {
  expect_good_accesses_of_all_tiles<float, float>();
  expect_good_accesses_of_all_tiles<double, double>();
  expect_good_accesses_of_all_tiles<std::int16_t, float>();
}

TEST(Traffic, OfAddingPartsUpIsWholeSectors) {
  constexpr std::size_t elements = threads, parts = 3;
  block::Memory<float> sums(parts * elements), c(elements);
  const JoinParts<float, float> join{sums.data(), c.data(), elements, parts, 1, 0};
  const block::Traffic is = traffic_of({sums.array(), c.array()}, 1, threads,
                                       [&](int, unsigned thread) { join(thread); });
  EXPECT_EQ(is.sectors, (parts + 1) * elements * sizeof(float) / 32);
}

}  // namespace
}  // namespace breakeven::kokkos
