// SPDX-License-Identifier: Apache-2.0
#include "suite/run/text.hpp"

#include <gmock/gmock.h>

namespace breakeven {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<std::size_t> edges(std::string_view text) {
  std::vector<std::size_t> edges;
  for (const Shape& shape : parse_sizes(text)) edges.push_back(shape.n);
  return edges;
}

TEST(Sizes, AListKeepsItsOrderAndDropsRepetitions) {
  EXPECT_THAT(edges("128,64,128"), ElementsAre(128, 64));
}

TEST(Sizes, ARangeDoublesUnlessAStepIsGiven) {
  EXPECT_THAT(edges("64:512"), ElementsAre(64, 128, 256, 512));
  EXPECT_THAT(edges("64:4096:*4"), ElementsAre(64, 256, 1024, 4096));
  EXPECT_THAT(edges("64:200:+64"), ElementsAre(64, 128, 192));
}

TEST(Sizes, ARangeEndsAtTheLargestSizeWithoutWrapping) {
  EXPECT_THAT(edges("1099511627776:1099511627776:*1099511627776"), ElementsAre(1099511627776));
}

TEST(Sizes, ARectangleIsRowsColumnsInner) {
  EXPECT_THAT(parse_sizes("1x4096x300"), ElementsAre(Shape{1, 4096, 300}));
}

TEST(Sizes, AFourthEdgeIsTheBatch) {
  EXPECT_THAT(parse_sizes("100x100x100x1000"), ElementsAre(Shape{100, 100, 100, 1000}));
}

class BadSize : public testing::TestWithParam<const char*> {};

TEST_P(BadSize, IsRefusedWithWhatIsAllowed) {
  EXPECT_THAT([] { parse_sizes(GetParam()); },
              ThrowsMessage<UsageError>(HasSubstr("allowed are 64, 64,128, 64:4096:*2")));
}

INSTANTIATE_TEST_SUITE_P(Sizes, BadSize,
                         testing::Values("", "0", "-1", "1.5", "64,", ",64", "64:32", "64::2",
                                         "64:128:2", "64:128:*1", "64:128:+0", "1x2", "1x2x3x4x5",
                                         "1x0x3", "99999999999999999999", "1099511627777",
                                         "1:4096:+1", "64 ", "0x10", "nan", "\xff\xfe"));

TEST(Types, AreNamesOfWhatIsStoredOrHowItIsMultiplied) {
  EXPECT_THAT(parse_types("f64,tf32"),
              ElementsAre(NumberType{Type::f64, Math::native}, NumberType{Type::f32, Math::tf32}));
  EXPECT_THAT([] { parse_types("f32,f99"); },
              ThrowsMessage<UsageError>(HasSubstr("unknown type 'f99'; there are: f32, f64")));
}

TEST(Seconds, HaveUnits) {
  EXPECT_EQ(parse_seconds("--budget", "90"), 90);
  EXPECT_EQ(parse_seconds("--budget", "1.5s"), 1.5);
  EXPECT_EQ(parse_seconds("--budget", "2min"), 120);
  EXPECT_EQ(parse_seconds("--budget", "1h"), 3600);
  for (const char* bad : {"", "0", "-1", "s", "inf", "nan", "1e999", "5 s", "5d"})
    EXPECT_THROW(parse_seconds("--budget", bad), UsageError) << bad;
}

TEST(Assignments, NeedAName) {
  EXPECT_EQ(parse_assignment("--label", "a=b=c"),
            std::make_pair(std::string("a"), std::string("b=c")));
  EXPECT_THROW(parse_assignment("--label", "=b"), UsageError);
  EXPECT_THROW(parse_assignment("--label", "ab"), UsageError);
}

}  // namespace
}  // namespace breakeven
