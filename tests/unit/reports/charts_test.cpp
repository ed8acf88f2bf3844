// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/chart.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <boost/process/search_path.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "reports/charts/gnuplot.hpp"
#include "reports/charts/latency_fit.hpp"
#include "tests/unit/reports/synthetic_report.hpp"

namespace breakeven::drawing {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

std::vector<Report> report_of(const std::vector<SyntheticRun>& runs) {
  std::vector<Row> rows;
  for (const auto& run : runs) {
    for (auto& row : synthetic_rows(run)) {
      rows.push_back(std::move(row));
    }
  }
  std::vector<Report> reports;
  reports.push_back(Report::parse(csv(rows), "r.csv"));
  return reports;
}

SyntheticRun slow_to_start() {
  SyntheticRun run;
  run.backend = "fast";
  run.run_id = "run-2";
  run.overhead_ns = 20'000;
  run.flops_per_ns = 1000;
  return run;
}

const Chart* find(const std::vector<Chart>& charts, std::string_view id) {
  const auto found = std::find_if(charts.begin(), charts.end(),
                                  [&](const Chart& chart) { return chart.id == id; });
  return found == charts.end() ? nullptr : &*found;
}

TEST(Charts, rates_are_lines_over_size_with_ceilings_and_the_bracket) {
  const auto charts = charts_of(report_of({SyntheticRun{}, slow_to_start()}));
  const auto* chart = find(charts, "rate-matmul-f32");
  ASSERT_NE(chart, nullptr);
  EXPECT_EQ(chart->x.label, "n");
  EXPECT_EQ(chart->y.unit, "FLOP/s");
  ASSERT_EQ(chart->series.size(), 5);
  EXPECT_EQ(chart->series[0].label, "serial:0");
  ASSERT_EQ(chart->series[0].points.size(), 3);
  EXPECT_NEAR(chart->series[0].points[0].y, 100e9, 3e9);
  EXPECT_LT(chart->series[0].points[0].low, chart->series[0].points[0].y);
  EXPECT_EQ(chart->series[0].points[0].row, "r0-2");
  EXPECT_EQ(chart->series[2].points[0].y, 100e9);  // the ceiling of serial:0
  // 2 n^3 / 100 against 20 000 + 2 n^3 / 1000 nanoseconds: even at n = 104.
  EXPECT_EQ(chart->series[4].line, Line::band);
  EXPECT_EQ(chart->series[4].points[0].x, 64);
  EXPECT_EQ(chart->series[4].points[1].x, 128);
}

TEST(Charts, clocks_show_wall_against_handing_over) {
  const auto charts = charts_of(report_of({SyntheticRun{}}));
  const auto* chart = find(charts, "clocks-matmul");
  ASSERT_NE(chart, nullptr);
  ASSERT_EQ(chart->series.size(), 2);
  EXPECT_EQ(chart->series[0].label, "serial:0 wall");
  EXPECT_EQ(chart->series[1].label, "serial:0 enqueue");
  EXPECT_LT(chart->series[1].points[0].y, chart->series[0].points[0].y);
}

TEST(Charts, transfers_are_fitted_by_latency_and_bandwidth) {
  SyntheticRun run;
  run.sizes = {4, 1024, 65536, 1048576};
  run.noise = 0;
  run.change = [](Row& row) {
    const double bytes = *row.real(Column::n);
    row.set(Column::case_name, "transfer");
    row.set(Column::mode, "single");
    row.set(Column::bytes, row.text(Column::n));
    for (const auto column : {Column::m, Column::n, Column::k, Column::flops}) {
      row.set(column, "NA");
    }
    row.set(Column::median_ns, 2500 + bytes / 50);
  };
  const auto charts = charts_of(report_of({run}));
  const auto* chart = find(charts, "time-transfer");
  ASSERT_NE(chart, nullptr);
  ASSERT_EQ(chart->series.size(), 2);
  EXPECT_EQ(chart->series[1].label, "fit of serial:0: 2.50 µs + bytes / 50.0 GB/s");
}

TEST(Charts, modes_without_a_size_are_bars_per_step) {
  SyntheticRun each, once;
  each.sizes = once.sizes = {100};
  each.change = [](Row& row) {
    row.set(Column::mode, "log-each");
    row.set(Column::count, 10);
  };
  once.change = [](Row& row) {
    row.set(Column::mode, "log-once");
    row.set(Column::count, 10);
  };
  const auto charts = charts_of(report_of({each, once}));
  const auto* chart = find(charts, "modes-matmul");
  ASSERT_NE(chart, nullptr);
  EXPECT_EQ(chart->categories, (std::vector<std::string>{"log-each", "log-once"}));
  ASSERT_EQ(chart->series.size(), 1);
  EXPECT_NEAR(chart->series[0].points[1].y, 2e6 / 100 * 1e-9 / 10, 5e-8);
}

TEST(Charts, efficiency_is_read_from_the_details) {
  SyntheticRun run;
  run.sizes = {64};
  run.rounds = 1;
  run.change = [](Row& row) { row.set(Column::details, "efficiency=0.93"); };
  const auto charts = charts_of(report_of({run}));
  const auto* chart = find(charts, "efficiency-matmul");
  ASSERT_NE(chart, nullptr);
  EXPECT_EQ(chart->series[0].points[0].y, 0.93);
}

TEST(Charts, rows_that_failed_and_searches_are_not_drawn) {
  SyntheticRun failed, search;
  failed.change = [](Row& row) { row.set(Column::status, Status::failed); };
  search.change = [](Row& row) { row.set(Column::mode, "find"); };
  EXPECT_TRUE(charts_of(report_of({failed, search})).empty());
}

TEST(LatencyFit, wants_three_sizes_and_a_positive_latency) {
  const auto point = [](double x, double y) { return Point{x, y, y, y, {}}; };
  EXPECT_FALSE(fit_latency(std::vector{point(1, 1), point(2, 2)}));
  EXPECT_FALSE(fit_latency(std::vector{point(10, 1), point(20, 3), point(40, 9)}));
  const auto fit = fit_latency(std::vector{point(0, 2), point(100, 3), point(300, 5)});
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->latency, 2, 1e-12);
  EXPECT_NEAR(fit->bandwidth, 100, 1e-9);
}

TEST(Gnuplot, text_of_a_report_stays_text) {
  Chart chart;
  chart.title = "it's `rm -rf x`\nset output 'y'";
  chart.series = {{"l'abel", 0, Line::solid, {{1, 1, 1, 1, "r0-2"}}}};
  const auto script = gnuplot_script(chart, "f.svg");
  EXPECT_TRUE(contains(script, "set title 'it''s `rm -rf x` set output ''y'''\n"));
  EXPECT_TRUE(contains(script, "title 'l''abel'"));
}

TEST(Gnuplot, draws_every_chart) {
  if (boost::process::search_path("gnuplot").empty()) {
    GTEST_SKIP() << "gnuplot is not installed";
  }
  const auto folder =
      std::filesystem::path(testing::TempDir()) / ("breakeven_svg_" + std::to_string(getpid()));
  const auto charts = charts_of(report_of({SyntheticRun{}, slow_to_start()}));
  const auto files = write_svg(charts, folder);
  ASSERT_EQ(files.size(), charts.size());
  for (const auto& file : files) {
    std::ifstream stream(file);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    EXPECT_TRUE(contains(text, "<svg")) << file;
    EXPECT_TRUE(contains(text, "</svg>")) << file;
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace breakeven::drawing
