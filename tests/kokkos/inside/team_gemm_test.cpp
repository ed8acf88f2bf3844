// SPDX-License-Identifier: Apache-2.0
// The product of kokkos-cuda, run by teams of OpenMP threads: the same sources, smaller tiles. And
// of the tiles that GPUs get, that they cover a block exactly.
#include "cuda/team_gemm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <regex>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "cuda/tiles.hpp"
#include "gpus.hpp"

namespace breakeven::kokkos {
namespace {

// 16×8 blocks by eight threads in two "warps", slices of 8: every index of the real tiles, in
// small.
template <class T, class Sum>
using TestTiles = TeamTraits<T, Sum, 4, 4, 2, 2, 2, 1, 8, 1>;
// 16-bit elements: integers, so that sums are exact. In slices of whole sectors.
using TestTilesShort = TeamTraits<std::int16_t, float, 4, 4, 2, 2, 2, 1, 16, 1>;
// The proportions of the large f64 tiles: sums in chunks of two.
using TestTilesDouble = TeamTraits<double, double, 4, 2, 2, 2, 1, 2, 4, 1>;
// 8×8 blocks by four threads, four of them by a team.
template <class T>
using TestCrews = TeamTraits<T, T, 4, 4, 2, 2, 1, 1, 8, 1, 4>;

struct Case {
  std::size_t m, n, k, batch;
  bool across_a, across_b;
  double alpha, beta;
  std::size_t shift = 0;  // elements that the operands start behind an aligned address
  int parts = 1;          // of k
};

template <class Traits>
void expect_right(const Case& is) {
  using T = typename Traits::T;
  const auto fill = [&](std::size_t count, int factor) {
    std::vector<T> values(count + is.shift + 4);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<T>(static_cast<int>(i * factor % 11) - 5);
    }
    return values;
  };
  const std::vector<T> a = fill(is.batch * is.m * is.k, 3), b = fill(is.batch * is.k * is.n, 7);
  std::vector<T> c = fill(is.batch * is.m * is.n, 5);
  const std::vector<T> old = c;
  if (is.beta == 0) std::fill(c.begin(), c.end(), std::numeric_limits<T>::quiet_NaN());
  const T *const x = a.data() + is.shift, *const y = b.data() + is.shift;
  const auto product = with_whole_lines(Product<T, typename Traits::Sum>{
      x, y, c.data() + is.shift, is.m, is.n, is.k, is.batch, is.across_a ? 1 : is.k,
      is.across_a ? is.m : 1, is.across_b ? 1 : is.n, is.across_b ? is.k : 1,
      static_cast<typename Traits::Sum>(is.alpha), static_cast<typename Traits::Sum>(is.beta)});
  const Space space;
  ASSERT_GE(space.concurrency(), Traits::team) << "set OMP_NUM_THREADS";
  using Sum = typename Traits::Sum;
  std::vector<Sum> sums(is.parts == 1 ? 0 : is.parts * is.m * is.n,
                        std::numeric_limits<Sum>::quiet_NaN());
  with_layout(product, [&]<bool along_a, bool along_b>() {
    const auto multiply = [&](const auto& kernel) {
      Kokkos::parallel_for(kernel.policy(space, kernel.teams()), kernel);
    };
    if (is.parts == 1) {
      multiply(TeamGemm<Traits, along_a, along_b>(product));
    } else {
      TeamGemm<Traits, along_a, along_b, Sum> kernel(product);
      kernel.cut_into(is.parts, sums.data());
      multiply(kernel);
      const JoinParts<T, Sum> join{sums.data(), product.c,     is.m * is.n,
                                   is.parts,    product.alpha, product.beta};
      Kokkos::parallel_for(Kokkos::RangePolicy<Space>(space, 0, is.m * is.n), join);
    }
    space.fence();
  });
  for (std::size_t z = 0; z < is.batch; ++z) {
    const auto one = product.matrix(z);
    for (std::size_t i = 0; i < is.m; ++i) {
      for (std::size_t j = 0; j < is.n; ++j) {
        Sum sum = 0;
        for (std::size_t p = 0; p < is.k; ++p) {
          sum += one.a[i * one.a_row + p * one.a_column] * one.b[p * one.b_row + j * one.b_column];
        }
        const std::size_t at = is.shift + z * is.m * is.n + i * is.n + j;
        const T want =
            static_cast<T>(static_cast<Sum>(is.alpha) * sum +
                           (is.beta == 0 ? Sum(0) : static_cast<Sum>(is.beta) * old[at]));
        ASSERT_EQ(c[at], want) << "matrix " << z << " row " << i << " column " << j;
      }
    }
  }
  if (is.beta == 0) return;  // all of c was poisoned
  for (std::size_t i = c.size() - 4; i < c.size(); ++i) {
    ASSERT_EQ(c[i], old[i]) << "written behind the end";
  }
}

class TeamGemmShapes : public testing::TestWithParam<Case> {};

TEST_P(TeamGemmShapes, AreExactForFloats) {
  expect_right<TestTiles<float, float>>(GetParam());
}
TEST_P(TeamGemmShapes, AreExactForDoubles) {
  expect_right<TestTilesDouble>(GetParam());
}
TEST_P(TeamGemmShapes, AreExactForShortElements) {
  expect_right<TestTilesShort>(GetParam());
}
TEST_P(TeamGemmShapes, AreExactWithSeveralCrewsToATeam) {
  expect_right<TestCrews<float>>(GetParam());
  expect_right<TestCrews<double>>(GetParam());
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  const Case& is = info.param;
  return std::to_string(is.m) + "x" + std::to_string(is.n) + "x" + std::to_string(is.k) + "_" +
         std::to_string(is.batch) + (is.across_a ? "_ta" : "") + (is.across_b ? "_tb" : "") +
         "_shift" + std::to_string(is.shift) + (is.beta == 0 ? "" : "_beta") + "_parts" +
         std::to_string(is.parts);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, TeamGemmShapes,
    testing::Values(Case{16, 8, 8, 1, false, false, 1, 0},    // one block, one slice
                    Case{32, 24, 40, 1, false, false, 1, 0},  // whole blocks
                    Case{32, 24, 40, 1, true, true, -2, 3},   // all transposed
                    Case{32, 24, 44, 1, true, false, 2, 1},   // whole blocks, a slice that is not
                    Case{33, 17, 13, 1, false, true, 1, 1},   // edges everywhere
                    Case{33, 17, 13, 3, true, false, 1, 0},   // a batch that is not aligned
                    Case{16, 16, 16, 4, false, false, 1, 2},  // a batch that is
                    Case{20, 12, 24, 1, false, false, 1, 0, 1},  // operands at odd addresses
                    Case{33, 1, 9, 3, false, false, 1, 0},       // vectors, either way, in a batch
                    Case{33, 1, 9, 3, true, true, 1, 2}, Case{1, 33, 9, 3, false, false, 1, 2},
                    Case{1, 33, 9, 3, true, true, 1, 0}, Case{1, 1, 9, 3, true, false, 1, 0},
                    Case{1, 1, 1, 1, false, false, 3, 0}, Case{1, 40, 9, 1, true, false, 1, 0},
                    Case{40, 1, 9, 1, false, true, 1, 1}, Case{5, 6, 0, 1, false, false, 1, 2},
                    Case{300, 20, 8, 1, false, false, 1, 0},  // more rows of blocks than a group
                    Case{32, 24, 96, 1, false, false, 1, 0, 0, 3},  // k in parts
                    Case{33, 17, 48, 1, false, true, -2, 3, 0, 2},
                    Case{20, 12, 96, 1, true, false, 1, 1, 1, 4},
                    Case{16, 8, 48, 1, true, true, 1, 0, 0, 6}),
    name_of);

// Offsets to chunks are int.
TEST(TeamTiles, TakeMatricesOfLongLinesElementByElement) {
  const auto is_chunked = [](std::size_t stride) {
    return Strip<float, true>::of<4>(nullptr, 128, stride, stride, 1).chunked;
  };
  EXPECT_TRUE(is_chunked(std::size_t{1} << 22));
  EXPECT_FALSE(is_chunked(std::size_t{1} << 24));
}

// Types of their own: of functions that several files have the linker takes one, and traffic is
// counted in those of traffic_test.cpp alone.
template <class Sum>
struct OwnSmallTiles : SmallTiles<Sum, Sum> {};

// Teams of 64 threads, as a GPU runs them.
TEST(TeamTiles, OfSmallProductsAreExact) {
  const Case edges{130, 70, 20, 1, false, false, 1, 1}, whole{128, 64, 32, 1, false, false, 1, 0};
  for (const Case& is : {edges, whole}) {
    expect_right<OwnSmallTiles<float>>(is);
    expect_right<OwnSmallTiles<double>>(is);
  }
}

template <class Traits>
void expect_covered() {
  using Kernel = TeamGemm<Traits, true, false>;
  std::vector<int> element(Traits::block_m * Traits::block_n);
  for (int rank = 0; rank < Traits::crew; ++rank) {
    const typename Kernel::Seat seat(rank);
    for (int i = 0; i < Traits::rows; ++i) {
      for (int j = 0; j < Traits::columns; ++j) {
        const int row = seat.row + Kernel::row_at(i), column = seat.column + Kernel::column_at(j);
        ++element[row * Traits::block_n + column];
      }
    }
  }
  for (const int times : element) ASSERT_EQ(times, 1);
  EXPECT_LE(shared_bytes_of_team<Traits>, 48u * 1024);
}

TEST(TeamTiles, CoverEveryElementOfABlockOnce) {
  expect_covered<LargeTiles<float, float>>();
  expect_covered<MediumTiles<float, float>>();
  expect_covered<MediumTiles<double, double>>();
  expect_covered<SmallTiles<float, float>>();
  expect_covered<LargeTiles<double, double>>();
  expect_covered<SmallTiles<double, double>>();
  expect_covered<TinyTiles<float, float>>();
  expect_covered<TinyTiles<double, double>>();
  expect_covered<TestTiles<float, float>>();
  expect_covered<TestTilesDouble>();
  expect_covered<MediumTiles<std::int16_t, float>>();
  expect_covered<SmallTiles<std::int16_t, float>>();
  expect_covered<TinyTiles<std::int16_t, float>>();
}

// Where a processor has 100 KiB of scratch memory, the blocks for batches are one team short.
TEST(TeamTiles, FitProcessorsAsManyTimesAsTheirRegisters) {
  const auto expect_fit = [](const Architecture& is, auto... tiles) {
    const auto one = [&]<class Tiles>(Tiles) {
      const bool is_short = Tiles::crews > 1 && is.shared_bytes == 100 * 1024;
      EXPECT_EQ(resident_teams<Tiles>(is), Tiles::resident_teams - (is_short ? 1u : 0u))
          << is.capability << ", blocks of " << Tiles::block_m << "×" << Tiles::block_n;
    };
    (one(tiles), ...);
  };
  for (const Architecture& is : architectures) {
    expect_fit(is, LargeTiles<float, float>(), MediumTiles<float, float>(),
               SmallTiles<float, float>(), TinyTiles<float, float>());
    expect_fit(is, LargeTiles<double, double>(), MediumTiles<double, double>(),
               SmallTiles<double, double>(), TinyTiles<double, double>());
    expect_fit(is, MediumTiles<std::int16_t, float>(), SmallTiles<std::int16_t, float>(),
               TinyTiles<std::int16_t, float>());
    if (is.shared_bytes == 100 * 1024) continue;  // two teams of those by tensor cores, or four
    expect_fit(is, LargeMatrixTiles<double, double>(), MediumMatrixTiles<double, double>(),
               SmallMatrixTiles<double, double>());
    expect_fit(is, LargeMatrixTiles<std::int16_t, float>(),
               MediumMatrixTiles<std::int16_t, float>(), SmallMatrixTiles<std::int16_t, float>());
  }
}

// The machine code of which tests/machine_code looks at the registers.
TEST(TeamTiles, AreFittedToEachArchitectureThatHasABudget) {
  std::ifstream file(BUDGETS);
  const std::string budgets((std::istreambuf_iterator<char>(file)), {});
  const std::regex name("sm_([0-9]+)");
  std::set<int> found;
  for (std::sregex_iterator one(budgets.begin(), budgets.end(), name), end; one != end; ++one)
    found.insert(std::stoi((*one)[1]));
  EXPECT_FALSE(found.empty()) << BUDGETS;
  for (const int capability : found)
    EXPECT_TRUE(std::any_of(std::begin(architectures), std::end(architectures),
                            [&](const Architecture& is) { return is.capability == capability; }))
        << capability;
}

}  // namespace
}  // namespace breakeven::kokkos
