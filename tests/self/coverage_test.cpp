// SPDX-License-Identifier: Apache-2.0
// Does the interval that a case ends with hold the long-run median as often as it says?
#include <gtest/gtest.h>

#include <cstddef>
#include <iostream>
#include <span>
#include <vector>

#include "reports/statistics/visit_interval.hpp"
#include "suite/measure/rounds.hpp"
#include "tests/self/simulated_machine.hpp"

namespace breakeven::simulated {
namespace {

using Coverage = Simulation;

constexpr std::size_t runs = 1000;
constexpr double sweep_ns = 4e8;  // a group of 24 cases, each visited for some milliseconds
constexpr double promised = 0.93;

// The median of the visits of a very long run of one process without an offset of its own.
double long_run_median(Noise noise) {
  noise.process = 0;
  std::vector<double> visits;
  for (std::size_t process = 0; process < 40; ++process) {
    Machine machine(noise, 1'000'003 * (process + 1));
    const Measured measured =
        measure(machine, shuffled(sweep_ns), {.precision = 0, .most_visits = 500});
    visits.insert(visits.end(), measured.visit_medians.begin(), measured.visit_medians.end());
  }
  return median(visits);
}

struct Covered {
  double share = 0;   // of the runs whose interval holds the long-run median
  double visits = 0;  // on average
};

template <class MakeGap>
Covered coverage(const Noise& noise, double truth, std::size_t trials, MakeGap make_gap) {
  const double share = 1 / static_cast<double>(trials);
  Covered result;
  for (std::size_t run = 0; run < trials; ++run) {
    Machine machine(noise, 7919 * run + 1);
    const Measured measured = measure(machine, make_gap());
    const auto interval = visit_interval(measured.visit_medians);
    if (interval->low <= truth && truth <= interval->high) result.share += share;
    result.visits += static_cast<double>(measured.visit_medians.size()) * share;
  }
  return result;
}

// What scattered visits cover, and what as many visits in one stretch would have.
void expect_coverage(const Noise& noise, double at_most_in_one_stretch) {
  const double truth = long_run_median(noise);
  const Covered scattered = coverage(noise, truth, runs, [] { return shuffled(sweep_ns); });
  const Covered stretch = coverage(noise, truth, runs / 4, contiguous);
  std::cout << "coverage: scattered " << scattered.share << " (" << scattered.visits
            << " visits), one stretch " << stretch.share << " (" << stretch.visits << ")\n";
  EXPECT_GE(scattered.share, promised);
  EXPECT_LE(stretch.share, at_most_in_one_stretch);
}

TEST_F(Coverage, IndependentSamples) {
  expect_coverage({}, 1);
}

TEST_F(Coverage, IndependentVisitsThatNeedManyLooks) {
  expect_coverage({.correlated = 0.03, .correlation_ns = 2e7}, 1);
}

TEST_F(Coverage, SpeedThatWanders) {
  expect_coverage({.correlated = 0.01}, 0.5);
}

TEST_F(Coverage, SpeedThatWandersFarFromPrecision) {
  expect_coverage({.correlated = 0.03}, 0.6);
}

TEST_F(Coverage, SpeedThatDrifts) {
  expect_coverage({.swing = 0.01, .period_ns = 5e9}, 0.5);
}

TEST_F(Coverage, MachineWithASlowerState) {
  expect_coverage({.slow_share = 0.3}, 0.8);
}

// One process is one observation: where processes differ by 1 %, the interval of one covers the
// truth about half of the time, that of five rounds as often as it says.
TEST_F(Coverage, ProcessesThatDiffer) {
  const Noise noise{.correlated = 0.01, .process = 0.01};
  const double truth = long_run_median(noise);
  double one = 0, five = 0;
  for (std::size_t run = 0; run < runs; ++run) {
    std::vector<std::vector<double>> rounds;
    for (std::size_t round = 0; round < 5; ++round) {
      Machine machine(noise, 104'729 * run + round);
      rounds.push_back(measure(machine, shuffled(sweep_ns)).visit_medians);
    }
    const auto holds = [&](const MergedRounds& merged) {
      return merged.low_ns <= truth && truth <= merged.high_ns ? 1.0 / runs : 0;
    };
    five += holds(merge_rounds(rounds));
    one += holds(merge_rounds(std::span(rounds).first(1)));
  }
  std::cout << "coverage: five rounds " << five << ", one " << one << '\n';
  EXPECT_GE(five, promised);
  EXPECT_LE(one, 0.75);
}

}  // namespace
}  // namespace breakeven::simulated
