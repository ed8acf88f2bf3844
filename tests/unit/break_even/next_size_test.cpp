// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/next_size.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace breakeven {
namespace {

constexpr Axis wide_axis{16, 4096, 1};

// Every size that is asked for, in order, when `winner` answers.
std::vector<std::size_t> asked(const Axis& on, const std::function<Faster(std::size_t)>& winner,
                               std::size_t most = 16) {
  std::vector<Probe> probes;
  std::vector<std::size_t> sizes;
  while (const auto size = next_size(finding_of(probes), on, 1.05, most)) {
    sizes.push_back(*size);
    probes.push_back({.size = *size, .faster = winner(*size)});
  }
  return sizes;
}

TEST(NextSize, the_grid_goes_up_by_four_and_ends_at_the_top) {
  EXPECT_EQ(grid_of(wide_axis), (std::vector<std::size_t>{16, 64, 256, 1024, 4096}));
  EXPECT_EQ(grid_of({8, 8192, 1}), (std::vector<std::size_t>{8, 32, 128, 512, 2048, 8192}));
  EXPECT_EQ(grid_of({1, 1, 1}), (std::vector<std::size_t>{1}));
}

TEST(NextSize, all_sizes_lie_on_the_axis) {
  EXPECT_EQ(grid_of({64, 1000, 64}), (std::vector<std::size_t>{64, 256, 960}));
  const Axis steps{64, 4096, 64};
  for (const std::size_t size :
       asked(steps, [](std::size_t n) { return n < 700 ? Faster::from : Faster::to; })) {
    EXPECT_EQ(size % 64, 0u);
  }
}

TEST(NextSize, without_a_change_the_grid_is_all) {
  EXPECT_EQ(asked(wide_axis, [](std::size_t) { return Faster::to; }), grid_of(wide_axis));
}

TEST(NextSize, a_change_is_halved_in_the_logarithm_until_it_is_narrow_then_looked_around) {
  EXPECT_EQ(asked(wide_axis, [](std::size_t n) { return n < 500 ? Faster::from : Faster::to; }),
            (std::vector<std::size_t>{16, 64, 256, 1024, 4096, 512, 362, 431, 470, 491, 393, 640,
                                      307, 819}));
}

TEST(NextSize, small_sizes_end_at_neighbours) {
  const auto sizes =
      asked({1, 64, 1}, [](std::size_t n) { return n < 3 ? Faster::from : Faster::to; });
  EXPECT_EQ(sizes, (std::vector<std::size_t>{1, 4, 16, 64, 2, 3, 5}));
}

TEST(NextSize, a_tie_is_closed_in_from_both_sides) {
  std::vector<Probe> probes;
  const auto winner = [](std::size_t n) {
    return n < 300 ? Faster::from : n > 450 ? Faster::to : Faster::neither;
  };
  while (const auto size = next_size(finding_of(probes), wide_axis, 1.05, 30)) {
    probes.push_back({.size = *size, .faster = winner(*size)});
  }
  const Finding finding = finding_of(probes);
  EXPECT_GE(finding.low(), 285u);
  EXPECT_LE(finding.high(), 473u);
}

TEST(NextSize, both_edges_of_a_band_are_narrowed) {
  std::vector<Probe> probes;
  const auto winner = [](std::size_t n) {
    return n < 30 || (n > 200 && n < 1500) ? Faster::from : Faster::to;
  };
  while (const auto size = next_size(finding_of(probes), wide_axis, 1.05, 16)) {
    probes.push_back({.size = *size, .faster = winner(*size)});
  }
  const Finding finding = finding_of(probes);
  ASSERT_EQ(finding.kind, Finding::Kind::band);
  EXPECT_GE(finding.low(), 28u);
  EXPECT_LE(finding.high(), 1575u);
}

TEST(NextSize, the_limit_on_sizes_holds) {
  EXPECT_EQ(asked(
                wide_axis, [](std::size_t n) { return n < 500 ? Faster::from : Faster::to; }, 8)
                .size(),
            8u);
}

}  // namespace
}  // namespace breakeven
