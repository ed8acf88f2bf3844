// SPDX-License-Identifier: Apache-2.0
// Simulated reports through the whole comparison: how often two reports of the same thing raise an
// alarm, and how often one slower case among many is found.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "reports/compare/comparison.hpp"
#include "reports/statistics/order_statistics.hpp"
#include "tests/unit/reports/synthetic_report.hpp"

namespace breakeven::comparison {
namespace {

struct Setting {
  std::size_t reports = 2000, cases = 20, rounds = 5;
  double noise = 0.01, slowdown = 0.05;
};

struct Rate {
  std::size_t hits = 0, trials = 0;
  double share() const { return static_cast<double>(hits) / static_cast<double>(trials); }
  double error() const { return std::sqrt(share() * (1 - share()) / static_cast<double>(trials)); }
};

std::string text(const Rate& rate) {
  return fmt::format("{:.2f} % ± {:.2f} ({} of {})", rate.share() * 100, rate.error() * 100,
                     rate.hits, rate.trials);
}

// The first case of the second report is slower by `slowdown`.
Comparison compare_pair(const Setting& setting, double slowdown, std::uint64_t seed) {
  SyntheticRun run;
  run.rounds = setting.rounds;
  run.noise = setting.noise;
  run.samples_in_a_visit = 1;
  run.sizes.clear();
  for (std::size_t i = 0; i < setting.cases; ++i) {
    run.sizes.push_back(64 + i);
  }
  std::vector<Report> reports;
  run.seed = 2 * seed;
  reports.push_back(Report::parse(synthetic_report(run), "before.csv"));
  run.seed = 2 * seed + 1;
  run.run_id = "run-2";
  run.change = [slowdown](Row& row) {
    if (row.text(Column::n) == "64") {
      row.set(Column::median_ns, *row.real(Column::median_ns) * (1 + slowdown));
    }
  };
  reports.push_back(Report::parse(synthetic_report(run), "after.csv"));
  return compare(group_rows(reports, "file", [](std::string_view) { return true; }), {});
}

int simulate(const Setting& setting, bool check) {
  Rate alarmed_reports, alarmed_cases, found, found_as_told;
  std::vector<double> told;  // the smallest change that comparisons of the same say they see
  for (std::size_t i = 0; i < setting.reports; ++i) {
    const auto same = compare_pair(setting, 0, i);
    std::size_t alarms = 0;
    for (const auto& result : same.cases) {
      alarms += result.verdict == Verdict::regressed || result.verdict == Verdict::improved;
    }
    alarmed_cases.hits += alarms;
    alarmed_cases.trials += same.cases.size();
    alarmed_reports.hits += alarms > 0;
    ++alarmed_reports.trials;
    told.push_back(*same.cases.at(0).smallest_ratio);
    const auto slower = compare_pair(setting, setting.slowdown, setting.reports + i);
    found.hits += slower.cases.at(0).verdict == Verdict::regressed;
    ++found.trials;
  }
  const double smallest = median(told) - 1;
  for (std::size_t i = 0; i < setting.reports; ++i) {
    const auto changed = compare_pair(setting, smallest, 2 * setting.reports + i);
    found_as_told.hits += changed.cases.at(0).verdict == Verdict::regressed;
    ++found_as_told.trials;
  }
  fmt::print("{} cases, {} rounds, {:.3g} % noise between processes, margin 2 %\n", setting.cases,
             setting.rounds, setting.noise * 100);
  fmt::print("A/A, false alarms:      {} of reports, {} of cases\n", text(alarmed_reports),
             text(alarmed_cases));
  fmt::print("{:.3g} % slower, found:      {}\n", setting.slowdown * 100, text(found));
  fmt::print("{:.3g} % slower, found:      {}; of this change the verdicts say that they see it\n",
             smallest * 100, text(found_as_told));
  const bool good = alarmed_reports.share() - 3 * alarmed_reports.error() <= 0.05 &&
                    found.share() + 3 * found.error() >= 0.9 &&
                    std::abs(found_as_told.share() - 0.8) <= 0.1 + 3 * found_as_told.error();
  return check && !good ? 1 : 0;
}

}  // namespace
}  // namespace breakeven::comparison

int main(int count, char** arguments) {
  CLI::App program("False alarms and power of `breakeven compare` on simulated reports");
  breakeven::comparison::Setting setting;
  bool check = false;
  program.add_option("--reports", setting.reports, "pairs of reports of each sort")
      ->check(CLI::PositiveNumber);
  program.add_option("--cases", setting.cases)->check(CLI::PositiveNumber);
  program.add_option("--rounds", setting.rounds)->check(CLI::PositiveNumber);
  program.add_option("--noise", setting.noise, "relative, between processes");
  program.add_option("--slowdown", setting.slowdown, "of one case, relative");
  program.add_flag("--check", check, "fail above 5 % false alarms or below 90 % found");
  CLI11_PARSE(program, count, arguments);
  return breakeven::comparison::simulate(setting, check);
}
