// SPDX-License-Identifier: Apache-2.0
// The product of kokkos-cuda with the tiles that GPUs get, by teams of fibers as large as a GPU's:
// its barriers are all there, and none but the last is there for nothing.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cuda/tiles.hpp"
#include "fiber_team.hpp"
#include "fiber_tensor_cores.hpp"

namespace breakeven::kokkos {
namespace {

template <class Stored, class Sum = Stored>
struct Operands {
  std::size_t m, n, k, batch;
  std::vector<Stored> a, b, c, aligned_a, aligned_b;
  std::vector<Sum> sums;

  Operands(std::size_t rows, std::size_t columns, std::size_t depth, std::size_t matrices = 1)
      : m(rows),
        n(columns),
        k(depth),
        batch(matrices),
        a(batch * m * k),
        b(batch * k * n),
        c(batch * m * n) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<Stored>(i * 3 % 11) - 5;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<Stored>(i * 7 % 11) - 5;
  }

  template <bool a_along, bool b_along>
  Product<Stored, Sum> product() {
    return {a.data(),        b.data(),        c.data(),        m, n, k, batch, a_along ? k : 1,
            a_along ? 1 : m, b_along ? 1 : n, b_along ? k : 1, 1, 0};
  }

  // The same with lines at multiples of 16 bytes.
  template <bool a_along, bool b_along>
  Product<Stored, Sum> aligned_product() {
    const auto spread = [](const std::vector<Stored>& from, std::size_t width,
                           std::vector<Stored>& to) {
      const std::size_t pitch = spread_pitch<Stored>(width);
      to.assign(width == 0 ? 0 : from.size() / width * pitch, Stored(77));
      const SpreadLines<Stored> lines{from.data(), to.data(), width, pitch};
      for (std::size_t i = 0; i < from.size(); ++i) lines(i);
      return pitch;
    };
    auto is = product<a_along, b_along>();
    (a_along ? is.a_row : is.a_column) = spread(a, a_along ? k : m, aligned_a);
    (b_along ? is.b_column : is.b_row) = spread(b, b_along ? k : n, aligned_b);
    is.a = aligned_a.data(), is.b = aligned_b.data();
    return is;
  }

  // c = a b. Returns what is wrong with the kernel; empty: nothing.
  template <class Traits, bool a_along, bool b_along>
  std::string multiply(block::Order order, int parts = 1, int without = -1) {
    const auto is =
        by_tensor_cores<Traits> ? aligned_product<a_along, b_along>() : product<a_along, b_along>();
    if (parts == 1) return run(KernelOf<Traits, a_along, b_along>(is), order, without);
    sums.assign(parts * m * n, Sum(0));
    KernelOf<Traits, a_along, b_along, Sum> kernel(is);
    kernel.cut_into(parts, sums.data());
    const std::string fault = run(kernel, order, without);
    const JoinParts<Stored, Sum> join{sums.data(), c.data(), m * n, parts, 1, 0};
    for (std::size_t i = 0; i < m * n; ++i) join(i);
    return fault;
  }

  template <class Kernel>
  static std::string run(const Kernel& kernel, block::Order order, int without) {
    for (int team = 0; team < kernel.teams(); ++team) {
      FiberCores<double>::forget_copies();
      try {
        block::run({.threads = Kernel::threads, .order = order, .seed = 5}, [&](unsigned) {
          kernel.make_block(FiberTeam{team, Kernel::threads, without});
        });
      } catch (const block::Fault& fault) {
        return fault.what();
      }
    }
    return {};
  }

  template <bool a_along, bool b_along>
  void expect_right() const {
    for (std::size_t z = 0; z < batch; ++z) {
      const Stored *const left = &a[z * m * k], *const right = &b[z * k * n];
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          Sum sum = 0;
          for (std::size_t p = 0; p < k; ++p)
            sum += left[a_along ? i * k + p : p * m + i] * right[b_along ? j * k + p : p * n + j];
          ASSERT_EQ(c[(z * m + i) * n + j], sum)
              << "matrix " << z << ", row " << i << ", column " << j;
        }
      }
    }
  }
};

// Of three whole slices and a part of one, the first team's first block being inside the matrix.
template <class Traits, bool a_along, bool b_along>
void expect_right_of(Operands<typename Traits::T, typename Traits::Sum> all) {
  for (const block::Order order : {block::Order::descending, block::Order::random}) {
    EXPECT_EQ((all.template multiply<Traits, a_along, b_along>(order)), "");
    all.template expect_right<a_along, b_along>();
  }
#ifdef ACCESSES_ARE_WATCHED
  // Of the block inside: three before its three slices, one behind them, one before the edge. By
  // tensor cores: one before each of four slices, and one behind them that is there for nothing.
  constexpr int barriers = by_tensor_cores<Traits> ? 4 : 5;
  for (int without = 0; without < barriers; ++without) {
    const std::string fault =
        all.template multiply<Traits, a_along, b_along>(block::Order::ascending, 1, without);
    EXPECT_NE(fault.find("with no barrier in between"), fault.npos) << without << ": " << fault;
  }
#endif
}

// A block inside the matrix and three at its edges.
template <class Traits, bool a_along, bool b_along>
void expect_right() {
  expect_right_of<Traits, a_along, b_along>(
      {Traits::block_m + 8, Traits::block_n + 8, Traits::slice * 3 + Traits::piece});
}

// More blocks than a team makes, all inside their matrices; all at their edges; and of both sorts.
template <class Traits, bool a_along, bool b_along>
void expect_right_of_a_batch() {
  constexpr std::size_t rows = Traits::block_m, columns = Traits::block_n, slice = Traits::slice;
  expect_right_of<Traits, a_along, b_along>({2 * rows, columns, slice * 3 + 4, 5});
  using All = Operands<typename Traits::T, typename Traits::Sum>;
  for (All all :
       {All(rows - 6, columns - 3, slice + 2, 1), All(rows - 6, columns - 3, slice + 2, 9),
        All(rows + 4, columns + 4, slice * 2 + 4, 3)}) {
    EXPECT_EQ((all.template multiply<Traits, a_along, b_along>(block::Order::random)), "");
    all.template expect_right<a_along, b_along>();
  }
}

TEST(TeamsOfFibers, AreExactWithLargeTilesAndNeedEachBarrier) {
  expect_right<LargeTiles<float, float>, true, false>();
  expect_right<LargeTiles<double, double>, false, true>();
}

TEST(TeamsOfFibers, AreExactWithMediumTilesAndNeedEachBarrier) {
  expect_right<MediumTiles<float, float>, true, true>();
  expect_right<MediumTiles<double, double>, false, false>();
}

TEST(TeamsOfFibers, AreExactWithElementsOf16Bits) {
  expect_right<MediumTiles<std::int16_t, float>, true, true>();
  expect_right<MediumTiles<std::int16_t, float>, false, true>();
  expect_right<SmallTiles<std::int16_t, float>, true, false>();
  expect_right_of_a_batch<TinyTiles<std::int16_t, float>, true, true>();
}

template <class Traits>
void expect_right_of_all_layouts() {
  expect_right<Traits, true, false>();
  expect_right<Traits, true, true>();
  expect_right<Traits, false, true>();
  expect_right<Traits, false, false>();
}

TEST(TeamsOfFibers, AreExactByTensorCoresAndNeedEachBarrier) {
  expect_right_of_all_layouts<LargeMatrixTiles<double, double>>();
  expect_right_of_all_layouts<MediumMatrixTiles<double, double>>();
  expect_right_of_all_layouts<SmallMatrixTiles<double, double>>();
  expect_right_of_all_layouts<LargeMatrixTiles<std::int16_t, float>>();
  expect_right_of_all_layouts<MediumMatrixTiles<std::int16_t, float>>();
  expect_right_of_all_layouts<SmallMatrixTiles<std::int16_t, float>>();
}

// Lines whose last 16 bytes are not all inside, less than a slice, nothing to add up, more slices
// than scratch memory holds, and matrices one behind the other.
template <class T, class Sum, bool a_along, bool b_along>
void expect_right_at_edges() {
  using All = Operands<T, Sum>;
  for (All all : {All(1, 1, 1), All(37, 29, 13), All(33, 65, 47, 3), All(5, 6, 0), All(64, 40, 7),
                  All(31, 8, 321), All(16, 24, 200, 2)}) {
    EXPECT_EQ(
        (all.template multiply<SmallMatrixTiles<T, Sum>, a_along, b_along>(block::Order::random)),
        "");
    all.template expect_right<a_along, b_along>();
  }
}

TEST(TeamsOfFibers, AreExactByTensorCoresAtAllEdges) {
  expect_right_at_edges<double, double, true, false>();
  expect_right_at_edges<double, double, true, true>();
  expect_right_at_edges<double, double, false, true>();
  expect_right_at_edges<double, double, false, false>();
  expect_right_at_edges<std::int16_t, float, true, false>();
  expect_right_at_edges<std::int16_t, float, true, true>();
  expect_right_at_edges<std::int16_t, float, false, true>();
  expect_right_at_edges<std::int16_t, float, false, false>();
}

TEST(TeamsOfFibers, AddPartsOfKUpByTensorCores) {
  Operands<double> doubles(36, 40, 120);
  EXPECT_EQ(
      (doubles.multiply<SmallMatrixTiles<double, double>, true, false>(block::Order::random, 3)),
      "");
  doubles.expect_right<true, false>();
  Operands<std::int16_t, float> shorts(68, 72, 144);
  EXPECT_EQ((shorts.multiply<SmallMatrixTiles<std::int16_t, float>, false, true>(
                block::Order::random, 3)),
            "");
  shorts.expect_right<false, true>();
}

TEST(TeamsOfFibers, KeepPartsOfKInTheTypeOfTheSums) {
  using Traits = SmallTiles<std::int16_t, float>;
  Operands<std::int16_t, float> all(68, 68, 120);
  EXPECT_EQ((all.multiply<Traits, true, false>(block::Order::random, 3)), "");
  all.expect_right<true, false>();
}

TEST(TeamsOfFibers, AreExactWithSmallTilesAndNeedEachBarrier) {
  expect_right<SmallTiles<float, float>, true, false>();
  expect_right<SmallTiles<double, double>, true, false>();
}

TEST(TeamsOfFibers, OfSeveralCrewsMakeABatchAndNeedEachBarrier) {
  expect_right_of_a_batch<TinyTiles<float, float>, true, false>();
  expect_right_of_a_batch<TinyTiles<float, float>, false, true>();
  expect_right_of_a_batch<TinyTiles<double, double>, true, true>();
  expect_right_of_a_batch<TinyTiles<double, double>, false, false>();
}

TEST(TeamsOfFibers, AddPartsOfKUpToTheSameBitsInWhateverOrderTheyRun) {
  using Traits = SmallTiles<float, float>;
  Operands<float> all(68, 68, 120);
  EXPECT_EQ((all.multiply<Traits, true, false>(block::Order::ascending, 3)), "");
  all.expect_right<true, false>();
  for (float& value : all.a) value = 1 / (value + 6);
  EXPECT_EQ((all.multiply<Traits, true, false>(block::Order::ascending, 3)), "");
  const auto first = all.c;
  EXPECT_EQ((all.multiply<Traits, true, false>(block::Order::random, 3)), "");
  EXPECT_EQ(all.c, first);
}

}  // namespace
}  // namespace breakeven::kokkos
