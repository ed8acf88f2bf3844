// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/find_view.hpp"

#include <gtest/gtest.h>

#include "reports/text/table.hpp"

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
    EXPECT_LT(shown_width(line), std::max<std::size_t>(width, 1)) << width;
  }
}

TEST(SearchLine, ShowsTheAxisWhereThereIsRoom) {
  const std::string wide = search_line(bracket(), names, axis, 64, 5, 100);
  EXPECT_TRUE(wide.starts_with("8 <")) << wide;
  EXPECT_TRUE(wide.ends_with("> 8192  n 61 … 64 (±2.4 %)  at n 64, 5 s")) << wide;
  EXPECT_EQ(search_line(bracket(), names, axis, 64, 5, 40), "n 61 … 64 (±2.4 %)  at n 64, 5 s");
  EXPECT_EQ(search_line(bracket(), names, axis, 64, 5, 9), "n 61 … 6");
}

TEST(ProbeTable, GivesUpTheIntervalInANarrowTerminal) {
  const Finding finding =
      finding_of({{.size = 8,
                   .faster = Faster::from,
                   .log_ratio = 0.1,
                   .low = 0.05,
                   .high = 0.2,
                   .from_ns = 10,
                   .to_ns = 11},
                  {.size = 64, .from_ns = 10, .to_ns = 10, .reason = "the budget ended"}});
  const std::string wide = probe_table(finding, names, false, 80);
  EXPECT_NE(wide.find("1.051 … 1.221"), std::string::npos) << wide;
  EXPECT_NE(wide.find("not decided\n"), std::string::npos) << wide;
  const std::string narrow = probe_table(finding, names, false, 50);
  EXPECT_EQ(narrow.find("…"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("1.105  serial:0"), std::string::npos) << narrow;
}

}  // namespace
}  // namespace breakeven
