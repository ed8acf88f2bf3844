// SPDX-License-Identifier: Apache-2.0
// The documentation of the columns against the columns.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>

#include "reports/schema/schema.hpp"

namespace breakeven {
namespace {

std::string readme() {
  std::ifstream stream(BREAKEVEN_SOURCE_DIR "/reports/README.md");
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Readme, lists_every_column_in_order_and_no_other) {
  constexpr std::array kinds{"text", "integer", "real", "samples", "pairs"};
  std::string expected = "| column | kind | | meaning |\n|---|---|---|---|\n";
  for (const auto& column : columns()) {
    expected += fmt::format("| `{}` | {} | {} | {} |\n", column.name,
                            kinds.at(static_cast<std::size_t>(column.kind)),
                            column.is_key ? "key" : "", column.meaning);
  }
  const auto text = readme();
  const auto at = text.find("| column | kind |");
  ASSERT_NE(at, text.npos);
  EXPECT_EQ(text.substr(at), expected);
}

}  // namespace
}  // namespace breakeven
