// SPDX-License-Identifier: Apache-2.0
#include "reports/text/usage.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace breakeven {
namespace {

const std::vector<std::string> words{"matmul", "f32", "--precision", "kokkos-cuda"};

TEST(Usage, proposes_what_is_near) {
  EXPECT_EQ(nearest("matmull", words), " (did you mean matmul?)");
  EXPECT_EQ(nearest("matlum", words), " (did you mean matmul?)");
  EXPECT_EQ(nearest("--prec", words), " (did you mean --precision?)");
  EXPECT_EQ(nearest("kokkos", words), " (did you mean kokkos-cuda?)");
}

TEST(Usage, proposes_nothing_that_only_has_letters_in_common) {
  for (const auto* word : {"", "f", "f99", "ma", "sum", "cuda"}) {
    EXPECT_EQ(nearest(word, words), "") << word;
  }
  EXPECT_EQ(nearest("matmul", {}), "");
}

TEST(Usage, tells_all_words_where_none_is_near) {
  EXPECT_NO_THROW(require_one_of("case", "f32", words));
  EXPECT_STREQ(unknown_word("case", "f99", words).what(),
               "unknown case 'f99'; there are: matmul, f32, --precision, kokkos-cuda");
  EXPECT_STREQ(unknown_word("case", "f31", words).what(), "unknown case 'f31' (did you mean f32?)");
}

}  // namespace
}  // namespace breakeven
