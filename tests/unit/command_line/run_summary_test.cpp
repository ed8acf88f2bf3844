// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/run_summary.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/unit/reports/synthetic_report.hpp"

namespace breakeven {
namespace {

Row row(std::size_t n, Status status) {
  Row row;
  row.set(Column::name, fmt::format("matmul/serial:0/f32/resident/n:{}", n));
  row.set(Column::device, "serial:0");
  row.set(Column::case_name, "matmul");
  row.set(Column::type, "f32");
  row.set(Column::math, "native");
  row.set(Column::mode, "resident");
  row.set(Column::status, name(status));
  if (status == Status::ok) {
    row.set(Column::samples_ns, "100 101;102 100;101 100");
    row.set(Column::median_ns, 100.5);
  } else {
    row.set(Column::reason, "of the test");
  }
  return row;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(RunSummary, ShowsEveryRowOfAShortRun) {
  RunSummary summary;
  EXPECT_EQ(summary.text("a.csv", false), "");
  summary.keep({row(7, Status::ok), row(8, Status::over_budget)});
  const std::string text = summary.text("a.csv", false);
  EXPECT_TRUE(holds(text, "n:7"));
  EXPECT_TRUE(holds(text, "n:8"));
  EXPECT_TRUE(holds(text, "1 of 2 rows measured and verified; the report is a.csv"));
  EXPECT_EQ(summary.exit_status(), 0);
}

TEST(RunSummary, TellsWhatWasMeasuredWhereNoRowCanBeRead) {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("none.{}.csv", ::getpid());
  std::ofstream(path) << "schema_version,run_id,status\n2,a,none\n";
  RunSummary summary;
  summary.keep({row(7, Status::ok)});
  EXPECT_TRUE(holds(summary.text(path.string(), false), "1 of 1 rows measured and verified"));
  std::filesystem::remove(path);
}

TEST(RunSummary, EndsWithAnswersAndWhatToTypeNext) {
  std::vector<Row> rows;
  for (const char* backend : {"serial", "fast"}) {
    SyntheticRun run;
    run.backend = backend;
    run.rounds = 1;
    run.slowdown = run.backend == "fast" ? 0.5 : 1;
    for (Row& one : synthetic_rows(run)) rows.push_back(std::move(one));
  }
  Row late = row(9, Status::over_budget);
  late.set(Column::stop_reason, "budget");
  late.set(Column::command, "breakeven run --case matmul");
  rows.push_back(late);
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("breakeven-summary-{}.csv", ::getpid());
  std::ofstream(path) << csv(rows);
  RunSummary summary;
  summary.keep(rows);
  const std::string text = summary.text(path.string(), false, 80);
  std::filesystem::remove(path);
  const auto table = text.find("n:256"), answer = text.find("fast beats serial at every size"),
             ratio = text.find("At n = 256 serial takes 2"), counts = text.find("6 of 7 rows"),
             resume = text.find("  breakeven run --case matmul --resume --out "),
             page = text.find("  breakeven report ");
  EXPECT_LT(table, answer) << text;
  EXPECT_LT(answer, ratio) << text;
  EXPECT_LT(ratio, counts) << text;
  EXPECT_LT(counts, resume) << text;
  EXPECT_LT(resume, page) << text;
  EXPECT_NE(page, std::string::npos) << text;
}

TEST(RunSummary, SaysWhatAVariantTakes) {
  const auto on = [](const std::string& device, std::size_t n, const std::string& samples) {
    Row read = row(n, Status::ok);
    read.set(Column::name, fmt::format("matmul/{}/f32/resident/n:{}", device, n));
    read.set(Column::device, device);
    read.set(Column::samples_ns, samples);
    return read;
  };
  const std::string about_100 = "100;101;99;100;101;99;100;100",
                    about_50 = "50;51;49;50;51;49;50;50";
  const std::string anything = "50;200;70;140;30;300;100;90";
  RunSummary summary;
  summary.keep({on("blas:0", 8, about_100), on("blas@skx:0", 8, about_50),
                on("blas:0", 9, about_100), on("blas@skx:0", 9, about_50),
                on("blas@skx:0", 10, "7"), on("serial:0", 8, "10")});
  const std::string text = summary.text("a.csv", false);
  EXPECT_TRUE(holds(text, "blas@skx:0 takes 0.50 times as long as blas:0 (0.4")) << text;
  EXPECT_TRUE(holds(text, ", 2 cases)\n")) << text;
  RunSummary noisy;
  noisy.keep({on("blas@b:0", 8, anything), on("blas@a:0", 8, about_100)});
  EXPECT_TRUE(holds(noisy.text("a.csv", false),
                    "blas@a:0 and blas@b:0: no difference is established (1 case)\n"))
      << noisy.text("a.csv", false);
  RunSummary alone;
  alone.keep({on("blas:0", 8, "100"), on("serial:0", 8, "50")});
  EXPECT_FALSE(holds(alone.text("a.csv", false), "times as long"));
}

TEST(RunSummary, KeepsOfALongRunWhatWentWrongBeforeAndAfterTheLimit) {
  RunSummary summary;
  const std::size_t rows = RunSummary::longest_table + 100;
  for (std::size_t n = 1; n <= rows; ++n)
    summary.keep({row(n, n == 3 || n == rows ? Status::crashed : Status::ok)});
  const std::string text = summary.text("a.csv", false);
  EXPECT_TRUE(holds(text, "n:3 "));
  EXPECT_TRUE(holds(text, fmt::format("n:{} ", rows)));
  EXPECT_FALSE(holds(text, "n:4 "));
  EXPECT_TRUE(holds(text, fmt::format("{} rows are too many for a table here", rows)));
  EXPECT_TRUE(holds(text, fmt::format("{} of {} rows measured", rows - 2, rows)));
  EXPECT_EQ(summary.exit_status(), 1);
}

TEST(RunSummary, ExactlyAsManyAsATableHoldsAreATable) {
  RunSummary summary;
  for (std::size_t n = 1; n <= RunSummary::longest_table; ++n) summary.keep({row(n, Status::ok)});
  EXPECT_TRUE(holds(summary.text("a.csv", false), "n:5000"));
  summary.keep({row(RunSummary::longest_table + 1, Status::ok)});
  EXPECT_FALSE(holds(summary.text("a.csv", false), "n:5000"));
}

}  // namespace
}  // namespace breakeven
