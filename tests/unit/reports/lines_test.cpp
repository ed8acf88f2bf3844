// SPDX-License-Identifier: Apache-2.0
#include "reports/text/lines.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>

#include "reports/text/table.hpp"

namespace breakeven {
namespace {

TEST(Lines, are_as_wide_as_the_terminal) {
  EXPECT_EQ(Lines(10).wrapped("one two three", 2), "  one two\n  three");
  EXPECT_EQ(Lines(9).wrapped("one two", 2), "  one two");
  EXPECT_EQ(Lines(8).wrapped("one two", 2), "  one\n  two");
}

TEST(Lines, count_what_is_shown) {
  EXPECT_EQ(Lines(5).wrapped("10 µs ± µµµµµ", 0), "10 µs\n±\nµµµµµ");
}

TEST(Lines, leave_a_number_its_unit) {
  EXPECT_EQ(Lines(9).wrapped("10 µs ±1 %", 0), "10 µs\n±1 %");
  EXPECT_EQ(Lines(4).wrapped("1 2 3 4 x", 0), "1 2\n3\n4 x");
}

TEST(Lines, keep_a_long_word_and_what_is_no_terminal_whole) {
  EXPECT_EQ(Lines(4).wrapped("a matmul/serial:0 b", 0), "a\nmatmul/serial:0\nb");
  EXPECT_EQ(Lines(SIZE_MAX).wrapped("one two", 2), "  one two");
  EXPECT_EQ(Lines(10).wrapped("", 2), "");
}

TEST(Lines, break_a_command_before_its_options) {
  EXPECT_EQ(Lines(24).command("run --case matmul --size 8", 2),
            "  run --case matmul \\\n      --size 8");
  EXPECT_EQ(Lines(80).command("run --case matmul", 2), "  run --case matmul");
  EXPECT_EQ(Lines(10).command("a_long_word_alone", 2), "  a_long_word_alone");
}

TEST(Fitting, cuts_between_characters) {
  EXPECT_EQ(fitting("61 … 64", 4), "61 …");
  EXPECT_EQ(fitting("61 … 64", 3), "61 ");
  EXPECT_EQ(fitting("61", 9), "61");
}

TEST(ShownWidth, is_without_colours) {
  EXPECT_EQ(shown_width(coloured("10 µs", Colour::bold, true)), 5);
  EXPECT_EQ(shown_width("\x1b[1"), 0);
}

TEST(Table, breaks_a_cell_that_no_line_holds) {
  Table table({{"device", Align::left}, {"processor", Align::left}});
  table.add({"serial:0", "a processor of a very long name"});
  const std::string shown = table.terminal(false, 20);
  std::istringstream lines(shown);
  std::string words;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(shown_width(line), 20) << shown;
    words += line + ' ';
  }
  for (const char* const word : {"serial:0", "processor", "very", "long", "name"})
    EXPECT_NE(words.find(word), std::string::npos) << shown;
}

}  // namespace
}  // namespace breakeven
