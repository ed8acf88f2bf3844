// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <gtest/gtest.h>

#include <array>
#include <tuple>
#include <vector>

namespace breakeven {
namespace {

TEST(Arguments, OptionsAndWordsComeInTheirOrder) {
  std::vector<std::string> words{"8", "--turns", "-3", "9"};
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  std::string seen;
  const Flag flag{"--turns", [&](const std::string& value) { seen += "turns=" + value + " "; }};
  EXPECT_TRUE(
      parse(pointers, "", {&flag, 1}, [&](const std::string& word) { seen += word + " "; }));
  EXPECT_EQ(seen, "8 turns=-3 9 ");
}

TEST(Arguments, AnOptionThatIsNotThereOrHasNoValueIsRefused) {
  const Flag flag{"--turns", [](const std::string&) {}};
  const auto refuses = [&](std::vector<std::string> words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    EXPECT_THROW(parse(pointers, "", {&flag, 1}, [](const std::string&) {}), UsageError);
  };
  refuses({"--turn", "5"});
  refuses({"-1"});
  refuses({"--turns"});
  refuses({"--turns", "--turns", "5"});
}

TEST(Arguments, SizesAreACubeThreeSidesOrABatch) {
  const Gemm cube = shape_from("64"), row = shape_from("1x20x300"), batch = shape_from("2x3x4*5");
  EXPECT_EQ(std::tuple(cube.m, cube.n, cube.k, cube.batch), std::tuple(64, 64, 64, 1));
  EXPECT_EQ(std::tuple(row.m, row.n, row.k, row.batch), std::tuple(1, 20, 300, 1));
  EXPECT_EQ(std::tuple(batch.m, batch.n, batch.k, batch.batch), std::tuple(2, 3, 4, 5));
}

TEST(Arguments, WhatIsNoSizeIsRefused) {
  for (const char* text :
       {"", "0", "3x", "3x4", "1.5", "8x8x8x8x8", "xyz", "-1", "+1", " 8", "8 ", "4x4x4*",
        "4x4x4*0", "4*5", "0x4x4", "4000000000", "99999999999999999999999"})
    EXPECT_THROW(shape_from(text), UsageError) << text;
}

TEST(Arguments, WhatIsNoNumberOfTurnsTypeOrTransposeIsRefused) {
  for (const char* text : {"", "0", "x", "-3", "2x", "99999999999999999999999"})
    EXPECT_THROW(turns_from(text), UsageError) << text;
  EXPECT_EQ(turns_from("21"), 21u);
  EXPECT_THROW(type_from("f99", std::array{Type::f32, Type::f16}), UsageError);
  EXPECT_THROW(type_from("f64", std::array{Type::f32, Type::f16}), UsageError);
  EXPECT_EQ(type_from("f16", std::array{Type::f32, Type::f16}), Type::f16);
  Gemm gemm;
  for (const char* text : {"", "q", "aa", "abq"})
    EXPECT_THROW(transpose_by(text, gemm), UsageError);
  transpose_by("b", gemm);
  EXPECT_EQ(gemm.transpose_a, Transpose::no);
  EXPECT_EQ(gemm.transpose_b, Transpose::yes);
}

}  // namespace
}  // namespace breakeven
