// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/run_table.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "reports/schema/samples.hpp"
#include "reports/text/table.hpp"

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
  const std::string text =
      run_cautions(std::vector<TableRow>{TableRow(quiet), TableRow(loud)}, false);
  EXPECT_TRUE(contains(text, "1 of 2 cases disturbed by other work on the machine (kernel, steal)"))
      << text;
  EXPECT_FALSE(contains(run_cautions(std::vector<TableRow>{TableRow(quiet)}, false), "disturbed"));
}

TEST(RunTable, FewerRoundsThanThreeClaimNothingOfAnotherProcess) {
  std::vector<TableRow> rounds;
  const Row row = measured("matmul/toy:0/f32/resident/n:1");
  rounds.emplace_back(row);
  EXPECT_TRUE(contains(run_cautions(rounds, false), "says nothing about another process"));
  rounds.emplace_back(row);
  rounds.emplace_back(row);
  EXPECT_FALSE(contains(run_cautions(rounds, false), "another process"));
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

TEST(RunTable, WithoutACeilingThereIsNoShare) {
  Row row = measured("matmul/toy:0/f32/resident/n:1");
  row.set(Column::flops, 1e5);
  EXPECT_TRUE(contains(run_table(std::vector{TableRow(row)}, false), "no ceiling"));
  row.set(Column::ceiling_share, 0.9);
  row.set(Column::ceiling_source, "fma_f32_core");
  EXPECT_FALSE(contains(run_table(std::vector{TableRow(row)}, false), "no ceiling"));
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, shown_width(line));
  return widest;
}

// A row of every sort that is long.
std::vector<TableRow> long_rows() {
  std::vector<TableRow> rows;
  Row row = measured("overlap/toy:0/f32/overlapped/n:1000000/count:1000/memory:pageable");
  row.set(Column::details, format_pairs(Pairs{{"speed_up", "2.599"},
                                              {"efficiency", "1.300"},
                                              {"interference", "0.674"},
                                              {"cause", "feeding-thread:1.00"}}));
  row.set(Column::stop_reason, "budget");
  row.set(Column::disturbed, 1);
  row.set(Column::ceiling_share, 1.26);
  row.set(Column::ceiling_source, "triad_core_l3~memory+read_core_l3~memory");
  row.set(Column::flops, 1e5);
  rows.emplace_back(row);
  row = measured("matmul/kokkos-openmp:0/f32/resident/n:1000");
  row.set(Column::device, "kokkos-openmp:0");
  row.set(Column::samples_ns, "100;100;100;100;100;100;100;900;900;900");
  rows.emplace_back(row);
  row = measured("matmul/toy:0/f32/resident/n:2000");
  row.set(Column::status, Status::wrong);
  row.set(Column::reason,
          "c[3,17] is 0.5, expected 0.25; so it is wherever one looks, and that says much");
  rows.emplace_back(row);
  return rows;
}

TEST(RunTable, NoLineIsWiderThanTheTerminal) {
  EXPECT_GT(widest_line(run_table(long_rows(), false)), 80U);
  const std::string text = run_table(long_rows(), true, 80);
  EXPECT_LE(widest_line(text), 80U) << text;
  for (const auto* part : {"n:1000000 count:1000 memory:pageable\n", "cause=feeding-thread:1.00",
                           "126 %", "~*", "kokkos-openmp", "wrong: c[3,17] is 0.5"})
    EXPECT_TRUE(contains(text, part)) << part << " in\n" << text;
  EXPECT_FALSE(contains(text, "triad_core")) << text;
  EXPECT_LE(widest_line(run_table(long_rows(), true, 60)), 60U);
}

TEST(RunTable, WhatWasNotReachedIsALineForAll) {
  std::vector<TableRow> rows;
  for (const char* device : {"toy:0", "other:0"}) {
    Row row = measured(std::string("matmul/") + device + "/f32/resident/n:1");
    row.set(Column::device, device);
    row.set(Column::status, Status::over_budget);
    row.set(Column::stop_reason, "budget");
    row.set(Column::reason, "the budget of the run was spent before its turn");
    rows.emplace_back(row);
  }
  EXPECT_EQ(run_table(rows, false),
            "\nnot reached: the budget of the run was spent before its turn (2 cases)\n");
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
