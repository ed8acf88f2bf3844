// SPDX-License-Identifier: Apache-2.0
// How a shape is cut, for each family of processors.
#include <string_view>

#include "forms.hpp"
#include "plugins/serial/kernels/targets.hpp"

namespace breakeven::serial {
namespace {

class SerialGemmPlan : public FormTest {};

TEST_P(SerialGemmPlan, SumsShorterThanAVectorAreNotFolded) {
  if (GetParam().transpose_a || GetParam().transpose_b) GTEST_SKIP();
  const auto plan = planner<float>();
  EXPECT_NE(plan(shape(2, 2, 16)).folded, 0u);
  EXPECT_EQ(plan(shape(2, 2, 2)).folded, 0u);
}

TEST_P(SerialGemmPlan, AColumnMoreThanVectorsIsFoldedFromTwoLongVectorsOfStepsOn) {
  if (GetParam().transpose_a || GetParam().transpose_b) GTEST_SKIP();
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  const auto plan = planner<double>();
  EXPECT_EQ(plan(shape(17, 17, 15)).folded, 0u);
  EXPECT_EQ(plan(shape(17, 17, 17)).folded, 1u);
}

#if defined(__x86_64__)
TEST_P(SerialGemmPlan, AHalfVectorOfColumnsHasTilesOfItsOwnWhereItTakesHalfTheTime) {
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  if (!cpu::computes_halves()) GTEST_SKIP() << "it takes as long as a whole one";
  if (GetParam().transpose_a && GetParam().transpose_b) GTEST_SKIP() << "c is turned round";
  const auto plan = planner<double>();
  const std::size_t columns = GetParam().transpose_b ? 0 : 4;  // then all of b is packed
  EXPECT_EQ(plan(shape(100, 100, 100)).halved, columns);
  EXPECT_EQ(plan(shape(61, 99, 900)).halved, columns - columns / 4);
  EXPECT_EQ(plan(shape(100, 101, 100)).halved, 0u);
}
#endif

#if defined(__x86_64__)
TEST_P(SerialGemmPlan, FewRowsReadAFarBByOneTileThatAsksForWhatTheNextOneReads) {
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  if (cpu::computes_halves()) GTEST_SKIP() << "it asks for the next pass instead";
  if (GetParam().transpose_b) GTEST_SKIP() << "then b is packed";
  if (cpu::is_intel()) GTEST_SKIP() << "it has rules of its own";
  const auto plan = planner<float>();
  const std::size_t far = 1100, pages = 1024;  // beside 3001 columns; columns
  for (const GemmShape& few : {shape(2, 3001, far), shape(8, 3001, far), shape(9, 3001, far),
                               shape(12, 3001, far), shape(7, pages, 830), shape(12, pages, 830)}) {
    EXPECT_FALSE(plan(few).packed) << describe(few);
    EXPECT_TRUE(plan(few).asks_for_group) << describe(few);
    EXPECT_EQ(plan(few).panels.parts, 1u) << describe(few);
    EXPECT_EQ(plan(few).group, 1u) << describe(few);
  }
  EXPECT_TRUE(plan(shape(13, 3001, far)).packed);
  EXPECT_TRUE(plan(shape(13, pages, 830)).packed);
  EXPECT_FALSE(plan(shape(24, pages, 830)).packed);
  EXPECT_EQ(plan(shape(25, 1001, 830)).panels.parts, 3u);
  EXPECT_FALSE(plan(shape(6, pages, 830)).asks_for_group);
  EXPECT_FALSE(plan(shape(12, 1001, 830)).asks_for_group);
}
TEST_P(SerialGemmPlan, AnIntelReadsFewRowsBInItsPlaceAndAsksForIt) {
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  if (!cpu::is_intel()) GTEST_SKIP() << "others have rules of their own";
  if (GetParam().transpose_b) GTEST_SKIP() << "then b is packed";
  const auto plan = [&](std::size_t m, std::size_t n, std::size_t k) {
    return planner<float>()(shape(m, n, k));
  };
  for (const std::size_t m : {2, 8, 9, 48}) {
    EXPECT_FALSE(plan(m, 1000, 1000).packed) << m;
    EXPECT_TRUE(plan(m, 1000, 1000).reads_rows) << m;
    EXPECT_FALSE(plan(m, 1000, 1000).asks_for_tiles) << m << ": for the next pass";
    EXPECT_EQ(plan(m, 1000, 1000).steps_ahead, 8u) << m;
    // Of what the second cache holds there is nothing to ask for.
    EXPECT_EQ(plan(m, 1000, 500).line_step, 0u) << m;
    EXPECT_EQ(plan(m, 1000, 500).k_block, 500u) << m;
  }
  // All rows of the next pass.
  EXPECT_EQ(plan(8, 1000, 1000).line_step, 0u);
  for (const auto& all : {plan(9, 1000, 1000), plan(48, 1000, 1000), plan(40, 5000, 300)})
    EXPECT_GE(all.line_step * all.tiles.parts * all.panels.parts, all.shape.n) << all.shape.n;
  EXPECT_EQ(plan(8, 1024, 1024).steps_ahead, 0u);  // rows of whole pages
  EXPECT_NE(plan(8, 1024, 1024).line_step, 0u);
  // More rows read what was packed; of a small b, where its rows begin inside of lines.
  EXPECT_TRUE(plan(49, 1000, 1000).packed);
  EXPECT_EQ(plan(49, 1000, 1000).line_step, 1000u);
  EXPECT_FALSE(plan(400, 400, 400).packed);
  EXPECT_FALSE(plan(400, 400, 400).reads_rows);
  EXPECT_EQ(plan(400, 401, 401).reads_rows, !plan(400, 401, 401).turned);
  EXPECT_TRUE(plan(500, 500, 500).packed);
}
// And asks for what lies beyond 6 MB.
TEST_P(SerialGemmPlan, AZen4CopiesAFarBFromNineRowsOnAndAsksForWhatComesNext) {
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  if (!cpu::computes_halves()) GTEST_SKIP() << "others have rules of their own";
  if (GetParam().transpose_b) GTEST_SKIP() << "then b is packed";
  const auto plan = planner<float>();
  EXPECT_FALSE(plan(shape(8, 3001, 1100)).packed);
  for (const std::size_t m : {9, 64, 200}) {
    EXPECT_TRUE(plan(shape(m, 3001, 1100)).packed) << m;
    EXPECT_TRUE(plan(shape(m, 3001, 1100)).asks_for_group) << m;
    EXPECT_EQ(plan(shape(m, 3001, 1100)).group, 1u) << m;
  }
  EXPECT_FALSE(plan(shape(201, 3001, 1100)).asks_for_group);
  EXPECT_FALSE(plan(shape(8, 1001, 830)).packed);
  EXPECT_TRUE(plan(shape(9, 1001, 830)).packed);
  EXPECT_FALSE(plan(shape(9, 1001, 830)).asks_for_group);
}
TEST_P(SerialGemmPlan, Avx2AsksForTheNextPartOfAFarBForFewRows) {
  if (GetParam().variant->name != "avx2") GTEST_SKIP() << "others have rules of their own";
  if (GetParam().transpose_a || GetParam().transpose_b) GTEST_SKIP() << "then it is turned round";
  const auto plan = [this](std::size_t m, std::size_t n) {
    return planner<double>()(shape(m, n, 1000));
  };
  for (const std::size_t m : {8, 12}) {
    EXPECT_FALSE(plan(m, 1500).packed) << m;
    EXPECT_NE(plan(m, 1500).rows_ahead, 0u) << m;
  }
  EXPECT_EQ(plan(8, 700).rows_ahead, 0u);   // that comes in time
  EXPECT_EQ(plan(4, 1000).rows_ahead, 0u);  // for so few rows, too
  EXPECT_NE(plan(4, 2000).rows_ahead, 0u);
  for (const std::size_t m : {17, 64, 200}) {
    EXPECT_TRUE(plan(m, 1500).packed) << m;
    EXPECT_TRUE(plan(m, 1500).asks_for_group) << m;
    // A call of several panels would ask for nothing.
    EXPECT_EQ(plan(m, 1500).most_panels, 1u) << m;
  }
  // 4 MB come in time for sums that are not long.
  EXPECT_FALSE(planner<double>()(shape(24, 2000, 250)).asks_for_group);
}
TEST_P(SerialGemmPlan, Avx2AsksForTheNextPartOfBWhereSumsAreLong) {
  if (GetParam().variant->name != "avx2") GTEST_SKIP() << "others have rules of their own";
  if (GetParam().transpose_b) GTEST_SKIP() << "then it is turned round";
  const auto plan = planner<double>();
  for (const std::size_t m : {25, 500, 1000}) {
    EXPECT_TRUE(plan(shape(m, 500, 513)).asks_for_group) << m;
    EXPECT_EQ(plan(shape(m, 500, 513)).k_block, 513u) << m << ": one pass over c";
  }
  EXPECT_FALSE(plan(shape(500, 500, 260)).asks_for_group);  // 1 MB of b is near
  EXPECT_FALSE(plan(shape(64, 1000, 255)).asks_for_group);
  // A transposed a of more than 8 MB would come from memory for each group.
  EXPECT_EQ(plan(shape(1100, 1000, 1000)).asks_for_group, !GetParam().transpose_a);
}
TEST_P(SerialGemmPlan, Avx2MultipliesRowsOfAInStripsThatTheThirdCacheBrings) {
  if (GetParam().variant->name != "avx2") GTEST_SKIP() << "others have rules of their own";
  const auto plan = planner<float>();
  const bool turned = GetParam().transpose_a || GetParam().transpose_b;
  for (const GemmShape& large : {shape(2048, 2048, 2048), shape(4096, 1000, 1024)}) {
    const GemmPlan<float> made = plan(large);
    EXPECT_EQ(made.strip == 0, turned) << describe(large);
    EXPECT_LT(made.strip, 1024 + made.panels[0]) << describe(large);
    EXPECT_EQ(made.strip % made.panels[0], 0u) << describe(large);
  }
  EXPECT_EQ(plan(shape(2047, 2048, 2048)).strip, 0u);
  EXPECT_EQ(plan(shape(4096, 4096, 200)).strip, 0u);
}
TEST_P(SerialGemmPlan, Avx2MakesFiveAndSixRowsByOnePanel) {
  if (GetParam().variant->name != "avx2") GTEST_SKIP() << "others have more registers";
  if (GetParam().transpose_a || GetParam().transpose_b) GTEST_SKIP() << "then it is turned round";
  for (const std::size_t m : {5, 6})
    EXPECT_EQ(planner<float>()(shape(m, 256, 256)).panels.parts, 1u);
  EXPECT_EQ(planner<float>()(shape(6, 1000, 1000)).panels.parts, 1u);
  EXPECT_EQ(planner<double>()(shape(6, 1000, 1000)).panels.parts, 1u);
}
TEST_P(SerialGemmPlan, Avx2MakesOneToThreeRowsByWideTiles) {
  if (GetParam().variant->name != "avx2") GTEST_SKIP() << "others have more registers";
  if (GetParam().transpose_a || GetParam().transpose_b) GTEST_SKIP() << "then it is turned round";
  const auto plan = planner<float>();
  const GemmPlan<float> row = plan(shape(1, 33, 3000)), longest = plan(shape(1, 112, 100));
  EXPECT_EQ(row.tiles[0], 5u);
  EXPECT_EQ(row.folded, 0u);
  EXPECT_EQ(longest.tiles[0], 14u);
  EXPECT_EQ(plan(shape(1, 113, 100)).tiles.parts, 5u) << "too wide for one";
  EXPECT_EQ(plan(shape(2, 96, 100)).tiles[0], 6u);
  EXPECT_EQ(plan(shape(3, 96, 100)).tiles[0], 4u);
  EXPECT_EQ(plan(shape(2, 1000, 1000)).tiles[0], 6u);
}
TEST_P(SerialGemmPlan, FewRowsAskForEachRowOfABFromTheThirdCacheSomeStepsBefore) {
  const std::string_view name = GetParam().variant->name;
  const bool avx2 = name == "avx2";
  const bool zen4 = name.substr(0, 6) == "avx512" && cpu::computes_halves();
  if (!avx2 && !zen4) GTEST_SKIP() << "others have rules of their own";
  if (GetParam().transpose_b) GTEST_SKIP() << "then b is packed";
  const auto plan = planner<float>();
  const auto asks = [&](std::size_t m, std::size_t n, std::size_t k) {
    return plan(shape(m, n, k)).steps_ahead != 0;
  };
  EXPECT_TRUE(asks(6, 1000, 1600));
  EXPECT_TRUE(plan(shape(6, 1000, 1600)).asks_for_tiles);
  EXPECT_TRUE(asks(7, 1000, 1600));
  EXPECT_EQ(plan(shape(7, 1000, 1600)).tiles[0], 3u);
  EXPECT_EQ(asks(9, 1000, 1600), avx2);
  EXPECT_FALSE(asks(6, 1024, 1600)) << "rows push each other out of the first cache";
  EXPECT_FALSE(asks(6, 2000, 2000)) << "memory brings whole rows";
  EXPECT_EQ(asks(2, 1000, 1000), avx2);
  EXPECT_EQ(asks(6, 1000, 1000), avx2) << "a Zen 4 is brought that in time";
  EXPECT_EQ(asks(6, 500, 500), avx2);
  EXPECT_FALSE(asks(6, 350, 350)) << "the second cache holds it";
  for (const std::size_t m : {9, 10, 14, 18, 24}) {
    EXPECT_EQ(asks(m, 1000, 1000), avx2) << m;
    EXPECT_EQ(plan(shape(m, 1000, 1000)).asks_for_tiles, avx2) << m;
    if (!avx2) continue;
    EXPECT_EQ(plan(shape(m, 1000, 1000)).line_step, 0u) << m << ": there is no next pass";
    EXPECT_EQ(plan(shape(m, 1000, 1000)).tiles[0], 2u) << m;
    EXPECT_EQ(plan(shape(m, 1000, 1000)).panels.parts, (m + 5) / 6) << m;
  }
  if (avx2) {
    EXPECT_EQ(plan(shape(12, 1500, 1500)).rows_ahead, 0u) << "nor beside 9 MB";
    EXPECT_EQ(plan(shape(16, 1000, 1000)).panels.parts, 4u);
    EXPECT_EQ(plan(shape(16, 1000, 1000)).tiles[0], 3u);
    EXPECT_EQ(planner<double>()(shape(16, 1000, 1000)).panels.parts, 3u);
  }
  EXPECT_FALSE(asks(25, 1000, 1000)) << "a copy pays off";
  EXPECT_FALSE(asks(12, 1700, 1700)) << "memory is too late";
  if (avx2) {  // more rows than so few copy rows of b that are pages apart
    EXPECT_FALSE(plan(shape(6, 4096, 800)).packed);
    EXPECT_TRUE(plan(shape(7, 4096, 800)).packed);
    EXPECT_FALSE(plan(shape(7, 4000, 800)).packed);
  }
}
TEST_P(SerialGemmPlan, RowsThatAreWholePagesApartHaveLowTiles) {
  const std::string_view name = GetParam().variant->name;
  if (name != "avx2" && name.substr(0, 6) != "avx512") GTEST_SKIP() << "others were not measured";
  if (GetParam().transpose_a) GTEST_SKIP() << "then steps are whole pages apart";
  const auto plan = planner<float>();
  for (const std::size_t n : {7, 8, 12, 16, 24})
    for (const std::size_t m : {15, 24, 100}) {
      const auto low = plan(shape(m, n, 1024));
      const std::size_t most = name == "avx2" || cpu::computes_halves() ? 8 : 13;
      EXPECT_LE(low.panels[0], most) << m << ' ' << n;
      EXPECT_LE(low.halved_panels[0], most) << m << ' ' << n;
    }
}
TEST_P(SerialGemmPlan, OneStepLiesTheSameWayEitherWay) {
  const auto plan = planner<float>()(shape(20, 30, 1));
  EXPECT_FALSE(plan.shape.transpose_a);
  EXPECT_FALSE(plan.shape.transpose_b);
  EXPECT_EQ(plan.turned, nullptr);
}
TEST_P(SerialGemmPlan, AZen4ReadsATallAOnceBesideASmallB) {
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  if (!cpu::computes_halves()) GTEST_SKIP() << "others have rules of their own";
  if (GetParam().transpose_a || GetParam().transpose_b) GTEST_SKIP() << "other ways to read them";
  const auto plan = planner<float>();
  const auto tall = plan(shape(10000, 192, 200)), lower = plan(shape(4000, 192, 200));
  EXPECT_EQ(tall.group, tall.tiles.parts);
  EXPECT_EQ(tall.most_panels, 1u);
  EXPECT_EQ(lower.group, 1u);
  EXPECT_GT(lower.most_panels, 1u);
}
// So many rows of c its caches foresee; a copied a is multiplied panel by panel.
TEST_P(SerialGemmPlan, AnIntelMultipliesAFewPanelsWithEveryPackedTileOfB) {
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  if (!cpu::is_intel()) GTEST_SKIP() << "others have rules of their own";
  for (const std::size_t k : {16, 100, 340, 2000}) {
    const auto plan = planner<float>()(shape(1000, 1000, k));
    ASSERT_TRUE(plan.packed) << k;
    const std::size_t rows = plan.most_panels * plan.panels[0];
    EXPECT_LE(rows, 36u) << k;
    EXPECT_GE(rows, plan.copies_a ? plan.panels[0] : 18u) << k;
    if (plan.copies_a) {
      EXPECT_EQ(plan.most_panels, 1u) << k;
    }
  }
}
TEST_P(SerialGemmPlan, AnIntelWritesALargeCInLongPieces) {
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  if (!cpu::is_intel()) GTEST_SKIP() << "others have rules of their own";
  const auto plan = [&](std::size_t m, std::size_t n, std::size_t k) {
    return planner<float>()(shape(m, n, k));
  };
  // Too few steps to foresee a row of c: every tile asks for the one to its right.
  const auto few_steps = plan(1000, 1000, 8);
  EXPECT_TRUE(few_steps.asks);
  EXPECT_EQ(few_steps.most_panels, 1u);
  EXPECT_FALSE(plan(200, 1000, 8).asks);  // of a small c
  if (GetParam().transpose_a || GetParam().transpose_b) return;
  // A small b: all tiles of a few rows before the rows below.
  for (const auto& tall : {plan(5000, 500, 32), plan(5000, 300, 150)}) {
    EXPECT_FALSE(tall.packed);
    EXPECT_EQ(tall.group, tall.tiles.parts);
    EXPECT_LE(tall.most_panels * tall.panels[0], 36u);
  }
  // Few rows: as many tiles at a time as the second cache holds of b beside the next ones.
  for (const std::size_t k : {20, 100, 500, 1000}) {
    const auto few_rows = plan(200, 5000, k);
    ASSERT_FALSE(few_rows.asks_row_by_row) << k;
    ASSERT_TRUE(few_rows.asks_for_group) << k;
    const std::size_t bytes_of_tile = few_rows.k_block * few_rows.tiles[0] * 64;
    EXPECT_EQ(few_rows.group, std::max<std::size_t>(1, (192 << 10) / bytes_of_tile)) << k;
  }
}
TEST_P(SerialGemmPlan, LongRowsOfAFewStepsAreMadeOneByOne) {
  const std::string_view name = GetParam().variant->name;
  const bool avx2 = name == "avx2";
  if (!avx2 && name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  if (GetParam().transpose_b) GTEST_SKIP() << "then b is turned round";
  // Nothing is cut into tiles then.
  const auto is_by_rows = [&](std::size_t m, std::size_t n, std::size_t k) {
    return planner<float>()(shape(m, n, k)).tiles.parts == 0;
  };
  const bool intel = cpu::is_intel() && !avx2, zen4 = cpu::computes_halves() || avx2;
  EXPECT_EQ(is_by_rows(1000, 512, 2), intel || zen4);
  EXPECT_EQ(is_by_rows(1000, 512, 7), intel);  // a Zen 4 makes longer ones of so many steps
  EXPECT_EQ(is_by_rows(1000, 640, 7), intel || zen4);
  EXPECT_EQ(is_by_rows(4, 1001, 3), intel || zen4);
  EXPECT_FALSE(is_by_rows(1000, 512, 8));
  EXPECT_FALSE(is_by_rows(1000, 1001, 5));   // rows begin inside of lines
  EXPECT_FALSE(is_by_rows(3000, 1000, 2));   // the second cache holds not half of c
  EXPECT_EQ(is_by_rows(40, 4000, 4), zen4);  // nor the first one b, but for some columns
  EXPECT_EQ(is_by_rows(1000, 256, 2), zen4);
  EXPECT_FALSE(is_by_rows(1000, 64, 2));
}
TEST_P(SerialGemmPlan, AnIntelCopiesAFarBOfLongRowsForTwentyRows) {
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  if (!cpu::is_intel()) GTEST_SKIP() << "others have rules of their own";
  if (GetParam().transpose_a || GetParam().transpose_b) GTEST_SKIP() << "other ways to read them";
  const auto reads_rows = [&](std::size_t m, std::size_t n, std::size_t k) {
    return planner<double>()(shape(m, n, k)).reads_rows;
  };
  EXPECT_TRUE(reads_rows(19, 5000, 64));
  EXPECT_FALSE(reads_rows(20, 5000, 64));
  EXPECT_TRUE(reads_rows(20, 5000, 36));    // near
  EXPECT_TRUE(reads_rows(32, 1000, 1000));  // passes of many steps
  EXPECT_TRUE(reads_rows(32, 2000, 2000));  // from memory
}
TEST_P(SerialGemmPlan, AnIntelAsksMemoryRowByRowForTheNextBlockOfB) {
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  if (!cpu::is_intel()) GTEST_SKIP() << "others have rules of their own";
  if (GetParam().transpose_b) GTEST_SKIP() << "turned round before it is read";
  for (const std::size_t m : {37, 48, 64, 100, 200}) {
    const auto plan = planner<double>()(shape(m, 2000, 2000));
    ASSERT_TRUE(plan.asks_row_by_row) << m;
    ASSERT_TRUE(plan.packed) << m;
    EXPECT_EQ(plan.most_panels, 1u) << m;
    // Every line of a row, and every row, as far as whole tiles and shares of k allow.
    const std::size_t columns = plan.group * plan.tiles[0] * 8;
    EXPECT_LE(plan.line_step, 8u) << m;
    EXPECT_GE(plan.line_step * plan.k_block, columns) << m;
    EXPECT_GE(double(plan.group * (plan.panels.parts - 1)), 0.85 * double(plan.k_block)) << m;
  }
  for (const std::size_t m : {36, 201}) {
    const auto plan = planner<double>()(shape(m, 2000, 2000));
    EXPECT_FALSE(plan.asks_row_by_row) << m;
  }
}
TEST_P(SerialGemmPlan, OfFewRowsBesideATransposedBTheTransposedProductIsMade) {
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  const auto is_turned = [&](std::size_t m, std::size_t n, std::size_t k) {
    return planner<float>()(shape(m, n, k)).turned != nullptr;
  };
  const bool a = GetParam().transpose_a, b = GetParam().transpose_b;
  if (!a) {
    const bool few_rows = b && !cpu::computes_halves();
    EXPECT_EQ(is_turned(32, 1000, 1000), few_rows);
    EXPECT_EQ(is_turned(8, 1024, 600), few_rows);
    EXPECT_EQ(is_turned(16, 1000, 600), few_rows);
    EXPECT_FALSE(is_turned(16, 1024, 600));  // rows of c collide
    EXPECT_EQ(is_turned(24, 1024, 3200), few_rows);
    EXPECT_FALSE(is_turned(24, 1024, 3000));
    EXPECT_EQ(is_turned(400, 1000, 1000), few_rows);
    EXPECT_FALSE(is_turned(401, 1000, 1000));
    return;
  }
  EXPECT_EQ(is_turned(200, 400, 400), b);
  EXPECT_FALSE(is_turned(201, 1000, 1000));
  EXPECT_FALSE(is_turned(200, 399, 1000));
  EXPECT_FALSE(is_turned(200, 1000, 399));
}
TEST_P(SerialGemmPlan, EightsOfRowsHaveTilesOfEightRowsBesideAFewColumns) {
  if (GetParam().variant->name.substr(0, 6) != "avx512") GTEST_SKIP() << "vectors are shorter";
  if (cpu::computes_halves()) GTEST_SKIP() << "it does not make up for more tiles";
  if (GetParam().transpose_b) GTEST_SKIP() << "then b is packed";
  const auto plan = planner<float>();
  EXPECT_EQ(plan(shape(16, 112, 100)).tiles[0], 3u);
  EXPECT_EQ(plan(shape(16, 112, 100)).panels[0], 8u);
  EXPECT_EQ(plan(shape(24, 112, 100)).tiles[0], 4u);
  EXPECT_EQ(plan(shape(16, 112, 70)).tiles[0], 4u);
}
#endif

TEST_P(SerialGemmPlan, WhatIsPackedOfBFillsItsCacheHoweverShortKIs) {
  const auto packed = [this](std::size_t k) {
    const auto plan = planner<float>()(shape(4096, 4096, k));
    return plan.copies_a ? plan.a_offset : plan.workspace_elements;
  };
  EXPECT_GT(packed(64), packed(1024) / 2);
}

TEST_P(SerialGemmPlan, ATransposedAIsCopiedIfItIsLargeOrItsStepsCollide) {
  const auto plan = planner<float>();
  const bool transposed = GetParam().transpose_a;
#if defined(__x86_64__)
  const std::string_view name = GetParam().variant->name;
  const bool has_long_vectors = name.starts_with("avx512") || name.starts_with("amx");
#else
  const bool has_long_vectors = false;
#endif
  const bool intel = cpu::is_intel() && has_long_vectors;
  const bool early = intel || !has_long_vectors;  // from less on
  EXPECT_EQ(plan(shape(1024, 500, 660)).copies_a, transposed);
  EXPECT_EQ(plan(shape(1280, 600, 660)).copies_a, transposed);
  EXPECT_EQ(plan(shape(1501, 1000, 1103)).copies_a, transposed);
  EXPECT_EQ(plan(shape(1000, 500, 1000)).copies_a, transposed && early);
  EXPECT_EQ(plan(shape(1024, 500, 500)).copies_a, transposed && intel);
  EXPECT_EQ(plan(shape(600, 2000, 1000)).copies_a, transposed && early);
  EXPECT_EQ(plan(shape(512, 10000, 24)).copies_a, transposed && !has_long_vectors);
  EXPECT_FALSE(plan(shape(512, 500, 500)).copies_a);
  EXPECT_FALSE(plan(shape(1024, 60, 1100)).copies_a);
  // What is read where it lies comes in blocks that the second cache holds.
  if (transposed && intel) {
    EXPECT_EQ(plan(shape(512, 512, 512)).k_block, 256u);
    EXPECT_EQ(plan(shape(600, 500, 1000)).k_block, 200u);
    EXPECT_FALSE(plan(shape(1000, 190, 1000)).copies_a);  // beside a small c
    EXPECT_EQ(plan(shape(512, 512, 300)).k_block, 300u);  // all of it fits
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, SerialGemmPlan, testing::ValuesIn(forms()), name_of);

}  // namespace
}  // namespace breakeven::serial
