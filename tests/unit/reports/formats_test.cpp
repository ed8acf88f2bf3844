// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/formats.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "reports/text/table.hpp"
#include "tests/unit/reports/synthetic_report.hpp"

namespace breakeven::comparison {
namespace {

SyntheticRun run_of(const std::string& run_id, double slowdown, std::uint64_t seed) {
  SyntheticRun run;
  run.run_id = run_id;
  run.slowdown = slowdown;
  run.noise = 0.001;
  run.seed = seed;
  return run;
}

struct Compared {
  Grouped grouped;
  ComparisonOptions options;
  Comparison comparison;

  std::string text(Style style = {}) const { return as_text(grouped, comparison, options, style); }
};

Compared compared(const std::vector<SyntheticRun>& runs, const std::string& by = "file",
                  const std::set<std::string>& expected = {}) {
  std::vector<Report> reports;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    reports.push_back(Report::parse(synthetic_report(runs[i]),
                                    std::string(1, static_cast<char>('a' + i)) + ".csv"));
  }
  Compared result{group_rows(reports, by, [](std::string_view) { return true; }), {}, {}};
  result.options.expected = expected;
  result.comparison = compare(result.grouped, result.options);
  return result;
}

Compared slower_by_half() {
  return compared({run_of("1", 1, 1), run_of("2", 1.5, 2)});
}

std::string line_with(const std::string& text, std::string_view part) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(part) != line.npos) {
      return line;
    }
  }
  return "";
}

SyntheticRun with_flags(SyntheticRun run, const std::string& flags) {
  run.change = [flags](Row& row) { row.set(Column::compiler_flags, flags); };
  return run;
}

TEST(CompareText, says_whose_rows_from_when_and_in_how_many_rounds) {
  const auto text = slower_by_half().text();
  const auto line = line_with(text, "  base");
  for (const auto* part : {"a ", "alpha", "2026-01-02T03:04:05Z", " 5 ", " 3 "}) {
    EXPECT_TRUE(contains(line, part)) << part << " in " << line;
  }
  EXPECT_LT(text.find("Reports"), text.find("Contexts: nothing differs."));
}

TEST(CompareText, what_differs_comes_before_the_cases_and_says_what_it_does) {
  const std::vector runs{with_flags(run_of("1", 1, 1), "-O3"),
                         with_flags(run_of("2", 1, 2), "-O1")};
  const auto blocked = compared(runs).text();
  EXPECT_TRUE(contains(line_with(blocked, "compiler_flags"), "blocks the verdict"));
  EXPECT_TRUE(
      contains(blocked, "not comparable: differs in flags; if that is meant: --expect flags"));
  EXPECT_LT(blocked.find("What differs"), blocked.find("Cases"));
  const auto declared = compared(runs, "file", {"flags"}).text();
  EXPECT_TRUE(contains(line_with(declared, "compiler_flags"), "declared"));
  EXPECT_TRUE(contains(declared, "3 equivalent"));
}

TEST(CompareText, a_case_has_both_times_the_ratio_the_shares_and_the_verdict) {
  const auto line = line_with(slower_by_half().text(), "n:64");
  EXPECT_TRUE(contains(line, " µs ±0.")) << line;
  EXPECT_TRUE(contains(line, "×1.50")) << line;
  EXPECT_TRUE(contains(line, "100 % → 67 %")) << line;
  EXPECT_TRUE(contains(line, "regressed: time +50.")) << line;
  EXPECT_FALSE(contains(line, "\x1b["));
  EXPECT_TRUE(contains(line_with(slower_by_half().text({.in_colour = true}), "n:64"), "\x1b[31m"));
}

TEST(CompareText, the_geometric_mean_says_how_many_cases_it_stands_on) {
  EXPECT_TRUE(contains(line_with(slower_by_half().text(), "geometric mean of the time"),
                       "over 3 cases (an index, not a result)"));
}

TEST(CompareText, one_round_is_told_apart_from_several) {
  auto a = run_of("1", 1, 1), b = run_of("2", 1, 2);
  EXPECT_TRUE(contains(compared({a, b}).text(), "Times are medians of the rounds"));
  a.rounds = b.rounds = 1;
  const auto text = compared({a, b}).text();
  EXPECT_TRUE(contains(text, "One round: "));
  EXPECT_TRUE(contains(text, "inconclusive: needs --rounds 5"));
}

std::size_t widest(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    widest = std::max(widest, shown_width(line));
  }
  return widest;
}

TEST(CompareText, fits_into_a_narrow_terminal_and_says_no_less) {
  const auto result = slower_by_half();
  EXPECT_GT(widest(result.text()), 80);
  const auto text = result.text({.width = 80});
  EXPECT_LE(widest(text), 80) << text;
  EXPECT_TRUE(contains(text, "matmul  f32  resident\n")) << text;
  const auto line = line_with(text, "n:64 serial:0");
  EXPECT_TRUE(contains(line, "×1.50")) << line;
  EXPECT_TRUE(contains(line, "regressed")) << line;
  EXPECT_FALSE(contains(text, "of ceiling"));

  auto a = run_of("1", 1, 1), b = run_of("2", 1, 2), c = run_of("3", 1, 3);
  a.rounds = b.rounds = c.rounds = 1;
  const auto three = compared({a, b, c}).text({.width = 80});
  EXPECT_LE(widest(three), 80) << three;
  EXPECT_TRUE(contains(three, "inconclusive: needs --rounds 5 (6 cases)")) << three;
}

TEST(CompareText, disturbed_visits_are_told_as_their_share) {
  auto a = run_of("1", 1, 1);
  a.change = [](Row& row) { row.set(Column::disturbed, 2); };
  const auto text = compared({a, run_of("2", 1, 2)}).text();
  EXPECT_TRUE(contains(line_with(text, "n:64"), " 10 % "));  // 10 of 100 visits on both sides
  EXPECT_TRUE(contains(text, "Disturbed: the share of visits"));
}

TEST(CompareText, what_another_backend_cannot_do_is_counted_by_its_reason) {
  auto b = run_of("1", 1, 2);
  b.backend = "blas";
  b.change = [](Row& row) {
    if (row.text(Column::n) != "64") {
      row.set(Column::status, Status::unavailable);
      row.set(Column::reason, "no driver");
      row.set(Column::median_ns, "NA");
    }
  };
  const auto text = compared({run_of("1", 1, 1), b}, "backend").text();
  EXPECT_EQ(line_with(text, "n:128"), "");
  EXPECT_TRUE(contains(text, "missing, unavailable in blas: no driver: 2\n")) << text;
  EXPECT_TRUE(contains(text, "described, not judged"));
}

TEST(CompareText, a_cell_cannot_break_a_markdown_table_or_steer_a_terminal) {
  auto b = run_of("2", 1, 2);
  b.machine = "evil|<script>\x1b[31m";
  const auto result = compared({run_of("1", 1, 1), b});
  EXPECT_FALSE(contains(result.text(), "\x1b"));
  const auto markdown = result.text({.markdown = true});
  EXPECT_TRUE(contains(markdown, "evil\\|\\<script>"));
  const auto heading = line_with(markdown, "| case |"), row = line_with(markdown, "n:64 |");
  EXPECT_EQ(std::count(heading.begin(), heading.end(), '|'),
            std::count(row.begin(), row.end(), '|'));
}

TEST(CompareJson, has_groups_differences_cases_means_and_the_exit_status) {
  const auto result = slower_by_half();
  const auto json = nlohmann::json::parse(as_json(result.grouped, result.comparison, 1));
  EXPECT_EQ(json.at("version"), 1);
  EXPECT_EQ(json.at("exit_status"), 1);
  EXPECT_EQ(json.at("base"), "a");
  EXPECT_EQ(json.at("groups")[1].at("judged"), true);
  EXPECT_TRUE(json.at("differences").empty());
  EXPECT_EQ(json.at("geometric_means")[0].at("cases"), 3);
  const auto& entry = json.at("cases")[0];
  EXPECT_EQ(entry.at("verdict"), "regressed");
  EXPECT_NEAR(entry.at("ratio").get<double>(), 1.5, 0.01);
  EXPECT_LT(entry.at("ratio_low"), entry.at("ratio"));
  EXPECT_LT(entry.at("base_time").at("low_ns"), entry.at("base_time").at("median_ns"));
  EXPECT_EQ(entry.at("base_time").at("rounds"), 5);
  EXPECT_GT(entry.at("smallest_ratio"), 1);
  EXPECT_TRUE(entry.at("permutation_p").is_null());
  EXPECT_EQ(entry.at("disturbed_share"), 0);
}

TEST(CompareCsv, has_one_header_and_a_line_with_as_many_fields_for_each_case) {
  auto b = run_of("2", 1, 2);
  b.sizes = {64, 512};
  const auto result = compared({run_of("1", 1, 1), b});
  std::istringstream lines(as_csv(result.grouped, result.comparison));
  std::string header, line;
  std::getline(lines, header);
  EXPECT_TRUE(header.starts_with("name,base,other,base_time_median_ns,"));
  std::size_t rows = 0, missing = 0;
  for (; std::getline(lines, line); ++rows) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','),
              std::count(header.begin(), header.end(), ','))
        << line;
    missing += contains(line, ",missing,") ? 1 : 0;
  }
  EXPECT_EQ(rows, 4);
  EXPECT_EQ(missing, 3);
}

}  // namespace
}  // namespace breakeven::comparison
