// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/find_view.hpp"

#include <gtest/gtest.h>

#include "suite/command_line/terminal.hpp"

namespace breakeven {
namespace {

const Names names{"serial:0", "kokkos-openmp:0", "n"};
constexpr Axis axis{8, 8192, 1};

Finding bracket() {
  return finding_of({{.size = 8, .faster = Faster::from, .from_ns = 1},
                     {.size = 61, .faster = Faster::from, .from_ns = 1},
                     {.size = 64, .faster = Faster::to, .from_ns = 1},
                     {.size = 8192, .faster = Faster::to, .from_ns = 1}});
}

TEST(SearchLine, NeverFillsTheTerminal) {
  for (std::size_t width = 0; width <= 200; ++width) {
    const std::string line = search_line(bracket(), names, axis, 64, 5, width);
    EXPECT_LT(display_width(line), std::max<std::size_t>(width, 1)) << width;
  }
}

TEST(SearchLine, ShowsTheAxisWhereThereIsRoom) {
  const std::string wide = search_line(bracket(), names, axis, 64, 5, 100);
  EXPECT_TRUE(wide.starts_with("8 <")) << wide;
  EXPECT_TRUE(wide.ends_with("> 8192  n 61 … 64 (±2.4 %)  at n 64, 5 s")) << wide;
  EXPECT_EQ(search_line(bracket(), names, axis, 64, 5, 40), "n 61 … 64 (±2.4 %)  at n 64, 5 s");
  EXPECT_EQ(search_line(bracket(), names, axis, 64, 5, 9), "n 61 … 6");
}

TEST(Fitting, CutsBetweenCharacters) {
  EXPECT_EQ(fitting("61 … 64", 4), "61 …");
  EXPECT_EQ(fitting("61 … 64", 3), "61 ");
  EXPECT_EQ(fitting("61", 9), "61");
}

}  // namespace
}  // namespace breakeven
