// SPDX-License-Identifier: Apache-2.0
// Simulated histories: how often a run of no change has a change named, and how soon a step is
// found: history_simulation [HISTORIES [RUNS]], with --check to fail where it is not as promised.
// `history_simulation --read` finds the changes in each line of times on standard input.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "reports/history/changes.hpp"
#include "reports/statistics/change_points.hpp"

namespace breakeven {
namespace {

struct Setting {
  std::size_t histories = 200, runs = 200;
  double noise = 0.01, step = 0.03;
};

struct Step {
  std::size_t from = 0;
  double height = 0;
};

std::vector<double> simulated(std::size_t runs, double noise, const std::vector<Step>& steps,
                              std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> values;
  for (std::size_t i = 0; i < runs; ++i) {
    values.push_back(noise * normal(random));
    for (const auto& step : steps) {
      values.back() += i >= step.from ? step.height : 0;
    }
  }
  return values;
}

// Of all runs of cases that never change, so many name a change that was not named before.
double false_alarms(const Setting& setting, std::size_t cases, ChangePoints& points) {
  std::mt19937_64 random(cases);
  std::size_t alarms = 0, runs = 0;
  for (std::size_t i = 0; i < setting.histories; i += cases) {
    std::set<std::size_t> alarmed;  // runs
    for (std::size_t k = 0; k < cases; ++k) {
      const auto values = simulated(setting.runs, setting.noise, {}, random);
      std::set<std::size_t> before;
      for (auto n = ChangePoints::fewest_values; n <= setting.runs; ++n) {
        std::set<std::size_t> now;
        for (const auto& point : points.of({values.data(), n})) {
          now.insert(point.first);
        }
        if (now.size() > before.size()) {
          alarmed.insert(n);
        }
        before = std::move(now);
      }
    }
    alarms += alarmed.size();
    runs += setting.runs - ChangePoints::fewest_values + 1;
  }
  return static_cast<double>(alarms) / static_cast<double>(runs);
}

// The share of the steps that are found, three runs off at most, when so many runs have followed.
double found(const Setting& setting, std::size_t before, std::size_t after, ChangePoints& points) {
  std::mt19937_64 random(before + after);
  std::size_t hits = 0;
  for (std::size_t i = 0; i < setting.histories; ++i) {
    for (const auto& point : points.of(simulated(before + after, setting.noise,
                                                 {{before, std::log1p(setting.step)}}, random))) {
      if (point.first + 3 >= before && point.first <= before + 3) {
        ++hits;
        break;
      }
    }
  }
  return static_cast<double>(hits) / static_cast<double>(setting.histories);
}

// Of what was slower for some runs and then was not, both ends found.
double both_ends(const Setting& setting, std::size_t runs, std::size_t slow, ChangePoints& points) {
  std::mt19937_64 random(slow);
  std::size_t hits = 0;
  const double height = std::log1p(setting.step);
  const auto from = (runs - slow) / 2;
  for (std::size_t i = 0; i < setting.histories; ++i) {
    const auto values =
        simulated(runs, setting.noise, {{from, height}, {from + slow, -height}}, random);
    const auto changes = points.of(values);
    const auto is_near = [](std::size_t a, std::size_t b) { return a + 3 >= b && a <= b + 3; };
    hits += changes.size() == 2 && is_near(changes[0].first, from) &&
                    is_near(changes[1].first, from + slow)
                ? 1
                : 0;
  }
  return static_cast<double>(hits) / static_cast<double>(setting.histories);
}

ChangePoints of_a_case(std::size_t cases) {
  return {history::alarms_per_run / static_cast<double>(cases), std::log1p(history::least_change)};
}

int read() {
  auto points = of_a_case(1);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream numbers(line);
    std::vector<double> values;
    for (double value = 0; numbers >> value;) {
      values.push_back(std::log(value));
    }
    for (const auto& point : points.of(values)) {
      fmt::print("{} ", point.first);
    }
    fmt::print("\n");
  }
  return 0;
}

int simulate(const Setting& setting, bool check) {
  bool good = true;
  for (const std::size_t cases : {1, 20, 300}) {
    auto points = of_a_case(cases);
    if (cases <= setting.histories) {
      const double alarms = false_alarms(setting, cases, points);
      good = good && alarms <= 1.0 / 200;
      fmt::print("{} cases: {:.2f} of 1000 runs without a change name one (runs 8 to {})\n", cases,
                 alarms * 1000, setting.runs);
    }
    for (const std::size_t before : {15, 30, 60}) {
      fmt::print("  {} runs before a step of {:g} %, found after", before, setting.step * 100);
      for (const std::size_t after : {4, 6, 8, 10, 12, 15}) {
        const double share = found(setting, before, after, points);
        fmt::print("  {}: {:.1f} %", after, share * 100);
        good = good && (cases > 1 || before < 30 || after < 10 || share >= 0.93);
      }
      fmt::print("\n");
    }
    const double ends = both_ends(setting, 60, 15, points);
    good = good && (cases > 1 || ends >= 0.9);
    fmt::print("  slower for 15 of 60 runs: both ends found in {:.1f} %\n", ends * 100);
  }
  return check && !good ? 1 : 0;
}

}  // namespace
}  // namespace breakeven

int main(int count, char** arguments) {
  std::vector<std::string_view> words(arguments + 1, arguments + count);
  if (std::erase(words, "--read") > 0) {
    return breakeven::read();
  }
  const bool check = std::erase(words, "--check") > 0;
  breakeven::Setting setting;
  if (!words.empty()) {
    setting.histories = std::strtoul(words[0].data(), nullptr, 10);
  }
  if (words.size() > 1) {
    setting.runs = std::strtoul(words[1].data(), nullptr, 10);
  }
  return breakeven::simulate(setting, check);
}
