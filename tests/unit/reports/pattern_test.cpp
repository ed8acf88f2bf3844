// SPDX-License-Identifier: Apache-2.0
#include "reports/text/pattern.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace breakeven {
namespace {

std::string what_is_wrong_with(const std::string& text) {
  try {
    Pattern("--filter", text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "not refused";
}

TEST(PatternOfAUser, is_found_anywhere_unless_it_says_where) {
  EXPECT_TRUE(Pattern("--filter", "n:(64|128)$").is_in("matmul/serial:0/f32/resident/n:128"));
  EXPECT_FALSE(Pattern("--filter", "^n:").is_in("matmul/serial:0/f32/resident/n:128"));
  EXPECT_TRUE(Pattern("--filter", "").is_in("anything"));
}

TEST(PatternOfAUser, takes_any_name) {
  EXPECT_FALSE(Pattern("--filter", "(a|aa)*b$").is_in(std::string(1'000'000, 'a')));
}

TEST(PatternOfAUser, that_is_none_is_refused_in_one_line) {
  EXPECT_EQ(what_is_wrong_with("("), "--filter '(' is not a regular expression: missing ): (");
  for (const auto* lacking : {"(?=serial)", "(?!blas)", "(a)\\1"}) {
    EXPECT_NE(what_is_wrong_with(lacking).find(
                  "look-ahead, look-behind and back-references are not known"),
              std::string::npos)
        << what_is_wrong_with(lacking);
  }
}

}  // namespace
}  // namespace breakeven
