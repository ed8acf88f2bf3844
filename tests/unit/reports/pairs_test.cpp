// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/pairs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "reports/reader/paired_rows.hpp"
#include "reports/reader/row_rules.hpp"
#include "reports/statistics/order_statistics.hpp"

namespace breakeven {
namespace {

TEST(Pairs, VisitsOfOneSweepArePairedAndTheOthersLeftOut) {
  const std::vector<double> base{100, 200, 300, 400}, other{150, 90, 800};
  const std::vector<std::size_t> base_sweeps{0, 1, 3, 7}, other_sweeps{0, 2, 7};
  EXPECT_EQ(paired_ratios({base, base_sweeps}, {other, other_sweeps}), (PairedRatios{{1.5, 2}}));
  EXPECT_TRUE(paired_ratios({base, base_sweeps}, {{}, {}}).empty());
}

TEST(Pairs, VisitsOfOneProcessOfEachAreTogether) {
  const std::vector<double> base{1, 1, 1, 1}, other{2, 3, 4, 5};
  const std::vector<std::size_t> sweeps{0, 1, 2, 3}, of_base{0, 0, 1, 1}, of_other{0, 0, 0, 1};
  EXPECT_EQ(paired_ratios({base, sweeps, of_base}, {other, sweeps, of_other}),
            (PairedRatios{{2, 3}, {4}, {5}}));
}

// Load that slows both by up to a factor of 3, and 1 % of their own.
std::vector<double> ratios_under_load(std::mt19937_64& random, double truth, std::size_t count) {
  std::lognormal_distribution<double> load(0, 0.5), own(0, 0.01);
  std::vector<double> a, b;
  std::vector<std::size_t> sweeps;
  for (std::size_t i = 0; i < count; ++i) {
    const double busy = load(random);
    a.push_back(100 * busy * own(random));
    b.push_back(100 * truth * busy * own(random));
    sweeps.push_back(i);
  }
  return paired_ratios({a, sweeps}, {b, sweeps}).front();
}

TEST(Pairs, WhatSlowsBothLeavesTheRatioAlone) {
  std::mt19937_64 random(1);
  int held = 0;
  double widest = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const std::vector<PairedRatios> rounds{{ratios_under_load(random, 1.2, 20)}};
    const auto ratio = paired_ratio(rounds);
    ASSERT_TRUE(ratio);
    held += ratio->low <= 1.2 && 1.2 <= ratio->high;
    widest = std::max(widest, ratio->high / ratio->low);
  }
  EXPECT_GE(held, 182);  // 95 % but for chance
  EXPECT_LT(widest, 1.08);
}

TEST(Pairs, ThreeProcessesSpeakOfTheNext) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> between(0, 0.02);
  int held = 0;
  for (int trial = 0; trial < 200; ++trial) {
    PairedRatios processes;
    for (int process = 0; process < 5; ++process)
      processes.push_back(ratios_under_load(random, std::exp(between(random)), 20));
    const auto ratio = paired_ratio(std::span(&processes, 1));
    held += ratio->low <= 1 && 1 <= ratio->high;
    EXPECT_EQ(ratio->observations, 5u);
  }
  EXPECT_GE(held, 182);
}

// What a machine does for minutes is shared by the processes of a round.
TEST(Pairs, ThreeRoundsSpeakOfTheNextRound) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> between(0, 0.01);
  int held = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<PairedRatios> rounds(5);
    for (PairedRatios& round : rounds) {
      const double of_round = between(random);
      for (int process = 0; process < 5; ++process)
        round.push_back(ratios_under_load(random, std::exp(of_round + between(random)), 5));
    }
    const auto ratio = paired_ratio(rounds);
    held += ratio->low <= 1 && 1 <= ratio->high;
    EXPECT_EQ(ratio->observations, 5u);
    const auto effect = paired_effect(rounds);
    EXPECT_EQ(effect->ratio, ratio->ratio);
    EXPECT_EQ(effect->p_value<0.05, ratio->low> 1 || ratio->high < 1);
  }
  EXPECT_GE(held, 182);
}

TEST(Pairs, TooFewHaveNoInterval) {
  const std::vector<PairedRatios> few{{{1.0, 1.1, 1.2}}};
  EXPECT_FALSE(paired_ratio(few));
  EXPECT_FALSE(paired_ratio({}));
}

std::string row(std::string_view run, std::string_view line_up, std::string_view sweeps,
                const Visits& samples) {
  static int round = 0;  // no row comes twice
  Row row;
  row.set(Column::run_id, run);
  row.set(Column::round, ++round);
  row.set(Column::name, name_of_key([&](Column c) { return std::string_view(row.text(c)); }));
  row.set(Column::status, Status::ok);
  std::vector<double> medians;
  for (const auto& visit : samples) medians.push_back(median(visit));
  row.set(Column::median_ns, median(medians));
  row.set(Column::line_up, line_up);
  row.set(Column::sweeps, sweeps);
  row.set(Column::samples_ns, format_samples(samples));
  return csv_line(row);
}

TEST(PairedRows, OnlyRowsOfOneLineUpOfOneRunArePaired) {
  const Visits one{{1}, {2}, {4}}, two{{2}, {6}, {4}};
  const Report report =
      Report::parse(header_line() + row("x", "0.1.1", "0 1 2", one) +
                        row("x", "0.1.1", "0 1 3", two) + row("x", "0.1.1", "0|1 2", two) +
                        row("x", "0.1.1", "0||1 2", two) + row("x", "0.1.2", "0 1 2", two) +
                        row("y", "0.1.1", "0 1 2", two) + row("x", "0.1.1", "0 1", two) +
                        row("x", "NA", "0 1 2", two) + row("x", "0.1.1", "0 one 2", two),
                    "toy.csv");
  const auto ratios = [&](std::size_t other) {
    return paired_ratios(std::vector{report.row(0)}, std::vector{report.row(other)});
  };
  EXPECT_EQ(ratios(1), (std::vector<PairedRatios>{{{2, 3}}}));
  EXPECT_EQ(ratios(2), (std::vector<PairedRatios>{{{2}, {3, 1}}}));
  for (std::size_t i = 3; i < report.size(); ++i) EXPECT_TRUE(ratios(i).empty()) << i;
}

}  // namespace
}  // namespace breakeven
