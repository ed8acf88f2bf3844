// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/run_table.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reports/schema/samples.hpp"

namespace breakeven {
namespace {

Row measured(const std::string& name) {
  Row row;
  row.set(Column::name, name);
  row.set(Column::status, Status::ok);
  row.set(Column::case_name, "matmul");
  row.set(Column::device, "toy:0");
  row.set(Column::type, "f32");
  row.set(Column::mode, "resident");
  row.set(Column::samples_ns, format_samples(Visits(10, {100.0})));
  row.set(Column::median_ns, 100.0);
  row.set(Column::disturbed, 0);
  return row;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(RunTable, SaysHowManyCasesWereDisturbedAndByWhat) {
  const Row quiet = measured("matmul/toy:0/f32/resident/n:1");
  Row loud = measured("matmul/toy:0/f32/resident/n:2");
  loud.set(Column::disturbed, 2);
  loud.set(Column::disturbances, "kernel +8 %, steal 3 %");
  const std::string text = run_table(std::vector<TableRow>{TableRow(quiet), TableRow(loud)}, false);
  EXPECT_TRUE(contains(text, "1 of 2 cases disturbed by other work on the machine (kernel, steal)"))
      << text;
  EXPECT_FALSE(contains(run_table(std::vector<TableRow>{TableRow(quiet)}, false), "disturbed"));
}

TEST(RunTable, FewerRoundsThanThreeClaimNothingOfAnotherProcess) {
  std::vector<TableRow> rounds;
  const Row row = measured("matmul/toy:0/f32/resident/n:1");
  rounds.emplace_back(row);
  EXPECT_TRUE(contains(run_table(rounds, false), "says nothing about another process"));
  rounds.emplace_back(row);
  rounds.emplace_back(row);
  EXPECT_FALSE(contains(run_table(rounds, false), "another process"));
}

TEST(RunTable, TheShareOfTheCeilingIsTheMedianOfTheRounds) {
  std::vector<TableRow> rounds;
  for (const double share : {1.5, 0.9, 0.8}) {
    Row row = measured("matmul/toy:0/f32/resident/n:1");
    row.set(Column::ceiling_share, share);
    row.set(Column::ceiling_source, "fma_f32_core");
    rounds.emplace_back(row);
  }
  EXPECT_TRUE(contains(run_table(rounds, false), "90 % of fma_f32_core"));
}

TEST(RunTable, RowsOfLogicalDevicesAreMarked) {
  Row row = measured("matmul/toy:0/f32/resident/n:1");
  row.set(Column::device_facts, format_pairs(Pairs{{"logical", "no"}}));
  EXPECT_FALSE(contains(row_line(row), "logical"));
  row.set(Column::device_facts, format_pairs(Pairs{{"gpus", "0,0"}, {"logical", "yes"}}));
  EXPECT_TRUE(contains(row_line(row), "logical devices: no speed-up"));
  EXPECT_TRUE(contains(run_table(std::vector<TableRow>{TableRow(row)}, false),
                       "verified  logical devices: no speed-up"));
}

}  // namespace
}  // namespace breakeven
