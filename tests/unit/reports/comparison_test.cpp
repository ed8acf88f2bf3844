// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tests/unit/reports/synthetic_report.hpp"

namespace breakeven::comparison {
namespace {

const auto everything = [](std::string_view) { return true; };

SyntheticRun quiet_run(const std::string& run_id, double slowdown, std::uint64_t seed) {
  SyntheticRun run;
  run.run_id = run_id;
  run.slowdown = slowdown;
  run.noise = 0.002;
  run.seed = seed;
  return run;
}

std::vector<Report> parse_all(const std::vector<SyntheticRun>& runs) {
  std::vector<Report> reports;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    reports.push_back(
        Report::parse(synthetic_report(runs[i]), "report" + std::to_string(i) + ".csv"));
  }
  return reports;
}

struct Result {
  Grouped grouped;
  Comparison comparison;

  Verdict verdict(std::size_t i = 0) const { return comparison.cases.at(i).verdict; }
  const std::string& why(std::size_t i = 0) const { return comparison.cases.at(i).why; }
  int status(bool strict = false) const { return exit_status(comparison, strict); }
};

Result compare_runs(const std::vector<SyntheticRun>& runs, const ComparisonOptions& options = {},
                    const std::string& by = "file") {
  auto grouped = group_rows(parse_all(runs), by, everything);
  auto comparison = compare(grouped, options);
  return {std::move(grouped), std::move(comparison)};
}

TEST(Comparison, a_slowdown_on_one_machine_is_a_regression) {
  const auto result = compare_runs({quiet_run("a", 1, 1), quiet_run("b", 1.05, 2)});
  ASSERT_EQ(result.comparison.cases.size(), 3);
  for (const auto& entry : result.comparison.cases) {
    EXPECT_EQ(entry.verdict, Verdict::regressed);
    EXPECT_NEAR(*entry.ratio, 1.05, 0.01);
    EXPECT_LT(entry.effect->low, *entry.ratio);
    EXPECT_GT(entry.effect->high, *entry.ratio);
  }
  EXPECT_EQ(result.status(), 1);
  EXPECT_TRUE(result.comparison.differences.empty());
}

TEST(Comparison, the_base_decides_the_direction) {
  ComparisonOptions options;
  options.base = "report1";
  const auto result = compare_runs({quiet_run("a", 1, 1), quiet_run("b", 1.05, 2)}, options);
  EXPECT_EQ(result.verdict(), Verdict::improved);
  EXPECT_EQ(result.status(), 0);
  options.base = "report7";
  EXPECT_THROW(compare_runs({quiet_run("a", 1, 1), quiet_run("b", 1, 2)}, options),
               std::invalid_argument);
}

TEST(Comparison, the_base_is_the_first_with_which_there_is_something_to_compare) {
  auto grouped =
      group_rows(parse_all({quiet_run("a", 1, 1), quiet_run("b", 1, 2)}), "file", everything);
  EXPECT_EQ(compare(grouped, {}).base, 0);
  for (auto& [index, measurement] : grouped.groups[0].cases) {
    measurement.round_medians.clear();
  }
  EXPECT_EQ(compare(grouped, {}).base, 1);
}

TEST(Comparison, times_inside_the_margin_are_equivalent_not_the_same) {
  const auto runs = {quiet_run("a", 1, 1), quiet_run("b", 1.005, 2)};
  EXPECT_EQ(compare_runs(runs).verdict(), Verdict::equivalent);
  ComparisonOptions strict;
  strict.margin = 0;
  EXPECT_NE(compare_runs(runs, strict).verdict(), Verdict::equivalent);
}

TEST(Comparison, noise_is_inconclusive_and_says_what_it_could_have_seen) {
  auto a = quiet_run("a", 1, 11), b = quiet_run("b", 1, 12);
  a.noise = b.noise = 0.1;
  const auto result = compare_runs({a, b});
  EXPECT_EQ(result.verdict(), Verdict::inconclusive);
  EXPECT_TRUE(contains(result.why(), "would have been seen")) << result.why();
  EXPECT_EQ(result.status(), 0);
  EXPECT_EQ(result.status(true), 4);
}

TEST(Comparison, fewer_than_three_rounds_claim_nothing) {
  auto a = quiet_run("a", 1, 1), b = quiet_run("b", 2, 2);
  a.rounds = 2;
  const auto result = compare_runs({a, b});
  EXPECT_EQ(result.verdict(), Verdict::inconclusive);
  EXPECT_EQ(result.why(), "needs --rounds 5");
}

TEST(Comparison, an_undeclared_difference_blocks_the_verdict) {
  auto a = quiet_run("a", 1, 1), b = quiet_run("b", 1.05, 2);
  b.change = [](Row& row) { row.set(Column::compiler, "gcc 13.1.0"); };
  const auto blocked = compare_runs({a, b});
  EXPECT_EQ(blocked.verdict(), Verdict::not_comparable);
  EXPECT_TRUE(contains(blocked.why(), "--expect compiler"));
  EXPECT_EQ(blocked.status(), 3);
  EXPECT_TRUE(blocked.comparison.means.empty());
  ASSERT_EQ(blocked.comparison.differences.size(), 1);
  EXPECT_EQ(blocked.comparison.differences[0].subject, "compiler");

  ComparisonOptions options;
  options.expected = {"compiler"};
  EXPECT_EQ(compare_runs({a, b}, options).verdict(), Verdict::regressed);
  options.expected = {"weather"};
  EXPECT_THROW(compare_runs({a, b}, options), std::invalid_argument);
}

TEST(Comparison, every_subject_that_blocks_is_blocked_by_each_of_its_columns) {
  for (const auto& subject : subjects()) {
    for (const auto column : subject.columns) {
      if (column == Column::machine || column == Column::schema_version) {
        continue;  // another machine; a version that is not read
      }
      auto a = quiet_run("a", 1, 1), b = quiet_run("b", 1, 2);
      a.change = [column](Row& row) { row.set(column, "1"); };
      b.change = [column](Row& row) { row.set(column, "2"); };
      const auto result = compare_runs({a, b});
      EXPECT_EQ(result.verdict() == Verdict::not_comparable, subject.blocks) << info(column).name;
      ASSERT_EQ(result.comparison.differences.size(), 1) << info(column).name;
      EXPECT_EQ(result.comparison.differences[0].subject, subject.name);
    }
  }
}

TEST(Comparison, what_one_side_does_not_know_does_not_block) {
  auto a = quiet_run("a", 1, 1), b = quiet_run("b", 1, 2);
  b.change = [](Row& row) { row.set(Column::compiler_flags, "NA"); };
  EXPECT_EQ(compare_runs({a, b}).verdict(), Verdict::equivalent);
}

// The verdict where the first report says one thing in a column and the second another.
Verdict verdict_of(Column column, const std::string& one, const std::string& other) {
  auto a = quiet_run("a", 1, 1), b = quiet_run("b", 1, 2);
  a.change = [&](Row& row) { row.set(column, one); };
  b.change = [&](Row& row) { row.set(column, other); };
  return compare_runs({a, b}).verdict();
}

TEST(Comparison, a_fact_that_only_one_side_tells_does_not_block) {
  for (const auto column : {Column::libraries, Column::backend_facts}) {
    EXPECT_EQ(verdict_of(column, "blas=X", "blas=X threads=2"), Verdict::equivalent);
    EXPECT_EQ(verdict_of(column, "blas=X", "blas=Y threads=2"), Verdict::not_comparable);
    EXPECT_EQ(verdict_of(column, "openblas=1", "mkl=1"), Verdict::not_comparable);
  }
}

TEST(Comparison, a_variable_or_option_that_only_one_side_sets_blocks) {
  for (const auto column : {Column::environment, Column::options}) {
    EXPECT_EQ(verdict_of(column, "a=1", "a=1 b=2"), Verdict::not_comparable);
  }
}

TEST(Comparison, a_variable_that_only_one_side_names_is_not_set_on_the_other) {
  auto a = quiet_run("a", 1, 1), b = quiet_run("b", 1, 2);
  a.change = [](Row& row) { row.set(Column::environment, "OMP_PLACES=cores"); };
  b.change = [](Row& row) { row.set(Column::environment, "OMP_PLACES=cores OMP_DYNAMIC=true"); };
  const auto differences = compare_runs({a, b}).comparison.differences;
  ASSERT_EQ(differences.size(), 1);
  EXPECT_EQ(differences[0].values[0], std::vector<std::string>{"not set"});
}

TEST(Comparison, settings_that_a_report_does_not_tell_are_unknown_and_block_nothing) {
  auto a = quiet_run("a", 1, 1), b = quiet_run("b", 1, 2);
  a.change = [](Row& row) { row.set(Column::options, "core=Haswell"); };
  b.change = [](Row& row) { row.set(Column::options, "NA"); };
  const auto result = compare_runs({a, b});
  EXPECT_EQ(result.verdict(), Verdict::equivalent);
  ASSERT_EQ(result.comparison.differences.size(), 1);
  EXPECT_EQ(result.comparison.differences[0].values[1], std::vector<std::string>{"NA"});
}

TEST(Comparison, only_the_pair_that_differs_is_named) {
  auto a = quiet_run("a", 1, 1), b = quiet_run("b", 1, 2);
  a.change = [](Row& row) { row.set(Column::backend_facts, "openblas=0.3.21 core=SKYLAKEX"); };
  b.change = [](Row& row) { row.set(Column::backend_facts, "openblas=0.3.29 core=SKYLAKEX"); };
  const auto differences = compare_runs({a, b}).comparison.differences;
  ASSERT_EQ(differences.size(), 1);
  EXPECT_EQ(differences[0].what, "backend_facts openblas");
  EXPECT_EQ(differences[0].values[0], std::vector<std::string>{"0.3.21"});
  EXPECT_EQ(differences[0].values[1], std::vector<std::string>{"0.3.29"});
}

TEST(Comparison, a_fact_that_stands_among_the_libraries_too_is_said_once) {
  auto a = quiet_run("a", 1, 1), b = quiet_run("b", 1, 2);
  a.change = [](Row& row) {
    row.set(Column::backend_facts, "openblas=0.3.21");
    row.set(Column::libraries, "boost=1.74 openblas=0.3.21");
  };
  b.change = [](Row& row) {
    row.set(Column::backend_facts, "openblas=0.3.29");
    row.set(Column::libraries, "boost=1.83 openblas=0.3.29");
  };
  const auto differences = compare_runs({a, b}).comparison.differences;
  ASSERT_EQ(differences.size(), 2);
  EXPECT_EQ(differences[0].what, "libraries boost");
  EXPECT_EQ(differences[1].what, "backend_facts openblas");
}

TEST(Comparison, a_failed_side_is_invalid_and_has_no_ratio) {
  for (const auto status :
       {Status::wrong, Status::implausible, Status::failed, Status::crashed, Status::hung}) {
    auto a = quiet_run("a", 1, 1), b = quiet_run("b", 0.01, 2);
    b.change = [status](Row& row) {
      if (row.text(Column::n) == "64" && row.text(Column::round) == "2") {
        row.set(Column::status, status);
        row.set(Column::reason, "c[3,17] is 0.5, expected 0.25");
        row.set(Column::median_ns, "NA");
      }
    };
    const auto result = compare_runs({a, b});
    EXPECT_EQ(result.verdict(0), Verdict::invalid);
    EXPECT_TRUE(contains(result.why(0), "expected 0.25"));
    EXPECT_FALSE(result.comparison.cases[0].ratio);
    EXPECT_EQ(result.verdict(1), Verdict::improved);
    EXPECT_EQ(result.status(), 3);
    EXPECT_EQ(result.comparison.means.at(0).cases, 2);
  }
}

TEST(Comparison, a_case_on_one_side_is_missing_and_on_none_not_compared) {
  auto a = quiet_run("a", 1, 1), b = quiet_run("b", 1, 2);
  a.sizes = {64, 128};
  b.sizes = {64, 256};
  const auto unsupported_above_64 = [](Row& row) {
    if (row.text(Column::n) == "128") {
      row.set(Column::status, Status::unsupported);
      row.set(Column::reason, "one device");
      row.set(Column::median_ns, "NA");
    }
  };
  const auto result = compare_runs({a, b});
  EXPECT_EQ(result.verdict(1), Verdict::missing);
  EXPECT_EQ(result.why(1), "no row in report1");
  EXPECT_EQ(result.verdict(2), Verdict::missing);
  EXPECT_EQ(result.status(), 3);

  b.sizes = {64, 128};
  b.change = unsupported_above_64;
  EXPECT_EQ(compare_runs({a, b}).why(1), "unsupported in report1: one device");
  a.change = unsupported_above_64;
  const auto both = compare_runs({a, b});
  EXPECT_EQ(both.comparison.cases.size(), 1);
  EXPECT_EQ(both.comparison.not_measured, 1);
  EXPECT_EQ(both.status(), 0);
}

TEST(Comparison, different_machines_are_described_and_never_gate) {
  auto a = quiet_run("a", 1, 1), b = quiet_run("b", 3, 2);
  b.machine = "beta";
  b.change = [](Row& row) { row.set(Column::cpu_model, "Another Processor"); };
  const auto result = compare_runs({a, b});
  EXPECT_EQ(result.verdict(), Verdict::described);
  EXPECT_NEAR(*result.comparison.cases[0].ratio, 3, 0.05);
  EXPECT_EQ(result.comparison.cases[0].base_share.has_value(), true);
  EXPECT_EQ(result.status(true), 0);
  ASSERT_EQ(result.comparison.means.size(), 1);
  EXPECT_NEAR(result.comparison.means[0].ratio, 3, 0.02);
  EXPECT_EQ(result.comparison.means[0].cases, 3);
}

SyntheticRun on_machine(SyntheticRun run, const std::string& name, const std::string& id) {
  run.machine = name;
  run.change = [id](Row& row) {
    row.set(Column::machine_facts, format_pairs(Pairs{{"machine_id", id}, {"smt", "off"}}));
  };
  return run;
}

TEST(Comparison, a_machine_is_known_by_its_id_under_any_name) {
  const auto a = on_machine(quiet_run("a", 1, 1), "alpha", "11aa");
  const auto b = on_machine(quiet_run("b", 1.05, 2), "renamed", "11aa");
  EXPECT_EQ(compare_runs({a, b}).verdict(), Verdict::regressed);
}

TEST(Comparison, two_machines_of_one_name_are_not_comparable_until_it_is_declared) {
  const auto a = on_machine(quiet_run("a", 1, 1), "alpha", "11aa");
  const auto b = on_machine(quiet_run("b", 1.05, 2), "alpha", "22bb");
  const auto result = compare_runs({a, b});
  EXPECT_EQ(result.verdict(), Verdict::not_comparable);
  EXPECT_TRUE(contains(result.why(0), "--expect machine"));
  EXPECT_EQ(result.status(), 3);
  ComparisonOptions options;
  options.expected = {"machine"};
  EXPECT_EQ(compare_runs({a, b}, options).verdict(), Verdict::regressed);
}

TEST(Comparison, what_the_machine_was_doing_is_no_difference) {
  auto a = quiet_run("a", 1, 1), b = quiet_run("b", 1, 2);
  a.change = [](Row& row) { row.set(Column::machine_facts, "load_average=0.1"); };
  b.change = [](Row& row) { row.set(Column::machine_facts, "load_average=0.2"); };
  EXPECT_TRUE(compare_runs({a, b}).comparison.differences.empty());
}

TEST(Comparison, one_round_has_the_interval_of_its_visits_where_they_were_six) {
  auto a = quiet_run("a", 1, 1), b = quiet_run("b", 1, 2);
  a.rounds = b.rounds = 1;
  b.change = [](Row& row) { row.set(Column::n_visits, 5); };
  const auto result = compare_runs({a, b});
  EXPECT_TRUE(result.comparison.cases[0].base->low);
  EXPECT_FALSE(result.comparison.cases[0].other->low);
  EXPECT_EQ(result.verdict(), Verdict::inconclusive);
}

TEST(Comparison, any_number_of_reports_is_compared_with_the_base) {
  auto c = quiet_run("c", 0.9, 3);
  c.machine = "gamma";
  const auto result = compare_runs({quiet_run("a", 1, 1), quiet_run("b", 1.05, 2), c});
  ASSERT_EQ(result.comparison.cases.size(), 6);
  EXPECT_EQ(result.verdict(0), Verdict::regressed);
  EXPECT_EQ(result.verdict(1), Verdict::described);
}

TEST(Comparison, machines_in_one_file_are_apart) {
  auto a = quiet_run("a", 1, 1), b = quiet_run("b", 1.5, 2);
  b.machine = "beta";
  std::vector<Report> reports;
  reports.push_back(Report::parse(
      synthetic_report(a) + synthetic_report(b).substr(header_line().size()), "both.csv"));
  const auto grouped = group_rows(reports, "file", everything);
  ASSERT_EQ(grouped.groups.size(), 2);
  EXPECT_EQ(grouped.groups[0].label, "both: alpha");
  EXPECT_EQ(grouped.groups[1].label, "both: beta");
}

TEST(Comparison, runs_backends_and_labels_can_be_compared_inside_one_file) {
  auto a = quiet_run("a", 1, 1), b = quiet_run("b", 2, 2);
  b.backend = "blas";
  a.change = [](Row& row) { row.set(Column::labels, "build=old"); };
  b.change = [](Row& row) { row.set(Column::labels, "build=new"); };
  const auto by_backend = compare_runs({a, b}, {}, "backend");
  ASSERT_EQ(by_backend.comparison.cases.size(), 3);
  EXPECT_EQ(by_backend.verdict(), Verdict::described);
  EXPECT_EQ(by_backend.grouped.cases[0].name, "matmul/*:0/f32/resident/n:64");
  EXPECT_NEAR(*by_backend.comparison.cases[0].ratio, 2, 0.02);

  b.backend = "serial";
  EXPECT_EQ(compare_runs({a, b}, {}, "run").verdict(), Verdict::regressed);
  EXPECT_EQ(compare_runs({a, b}, {}, "label:build").grouped.groups[1].label, "new");
  EXPECT_THROW(compare_runs({a, b}, {}, "machine"), std::invalid_argument);
  EXPECT_THROW(compare_runs({a, b}, {}, "median_ns"), std::invalid_argument);
}

TEST(Comparison, devices_of_a_backend_are_cases_of_their_own_beside_another_backend) {
  auto first = quiet_run("a", 1, 1), second = quiet_run("a", 2, 2), other = quiet_run("a", 1, 3);
  second.change = [](Row& row) {
    row.set(Column::device, "serial:1");
    row.set(Column::name, "matmul/serial:1/f32/resident/n:" + std::string(row.text(Column::n)));
  };
  other.backend = "blas";
  const auto result = compare_runs({first, second, other}, {}, "backend");
  ASSERT_EQ(result.grouped.cases.size(), 6);
  EXPECT_EQ(result.grouped.cases[3].name, "matmul/*:1/f32/resident/n:64");
  EXPECT_EQ(result.comparison.cases[0].base->rounds, 5);
  EXPECT_EQ(result.verdict(3), Verdict::missing);
}

TEST(Comparison, rows_that_two_reports_hold_count_once) {
  auto a = quiet_run("a", 1, 1), b = quiet_run("b", 1, 2);
  b.backend = "blas";
  const auto result = compare_runs({a, b, a}, {}, "backend");
  EXPECT_EQ(result.comparison.cases[0].base->rounds, 5);
  EXPECT_EQ(result.grouped.repeated, 15);
  a.run_id = "NA";  // nothing says that they are the same
  EXPECT_EQ(compare_runs({a, b, a}, {}, "backend").comparison.cases[0].base->rounds, 10);
}

TEST(Comparison, the_time_of_several_rounds_is_their_median_inside_its_interval) {
  auto a = quiet_run("a", 1, 1), b = quiet_run("b", 1, 2);
  a.rounds = b.rounds = 10;
  a.change = [](Row& row) {  // four rounds of ten are far off
    row.set(Column::median_ns, *row.integer(Column::round) <= 4 ? 1100.0 : 1000.0);
  };
  const auto summary = *compare_runs({a, b}).comparison.cases[0].base;
  EXPECT_EQ(summary.median, 1000);
  EXPECT_EQ(*summary.low, 1000);  // Student's t alone would begin at 1002
  EXPECT_GT(*summary.high, 1070);
}

TEST(Comparison, every_report_says_how_many_of_its_rows_are_compared) {
  auto a = quiet_run("a", 1, 1), b = quiet_run("b", 1, 2);
  b.change = [](Row& row) { row.set(Column::mode, "find"); };
  const auto grouped = group_rows(parse_all({a, b}), "file", everything);
  EXPECT_EQ(grouped.rows, (std::vector<std::size_t>{15, 0}));
}

TEST(Comparison, probes_of_a_search_stand_for_no_case) {
  auto a = quiet_run("a", 1, 1), b = quiet_run("b", 1, 2), probes = quiet_run("b", 5, 3);
  probes.change = [](Row& row) { row.set(Column::mode, "find"); };
  std::vector<Report> reports;
  reports.push_back(Report::parse(synthetic_report(a), "a.csv"));
  reports.push_back(Report::parse(
      synthetic_report(b) + synthetic_report(probes).substr(header_line().size()), "b.csv"));
  const auto grouped = group_rows(reports, "file", everything);
  EXPECT_EQ(grouped.searches, 15);
  EXPECT_EQ(compare(grouped, {}).cases.size(), 3);
}

TEST(Comparison, a_permutation_test_stands_beside_from_eight_rounds) {
  auto a = quiet_run("a", 1, 1), b = quiet_run("b", 1.05, 2);
  EXPECT_FALSE(compare_runs({a, b}).comparison.cases[0].permutation_p);
  a.rounds = b.rounds = 8;
  const auto result = compare_runs({a, b});
  EXPECT_NEAR(*result.comparison.cases[0].permutation_p, 2.0 / 12870, 1e-9);
}

}  // namespace
}  // namespace breakeven::comparison
