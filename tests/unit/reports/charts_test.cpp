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
#include "reports/schema/samples.hpp"
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
  std::size_t devices = 2;
  run.change = [&](Row& row) {
    row.set(Column::details, "efficiency=0.93");
    row.set(Column::devices, devices);
  };
  const auto charts = charts_of(report_of({run}));
  const auto* chart = find(charts, "efficiency-matmul");
  ASSERT_NE(chart, nullptr);
  EXPECT_EQ(chart->series[0].points[0].y, 0.93);
  devices = 1;  // has nobody to share the work with
  EXPECT_EQ(find(charts_of(report_of({run})), "efficiency-matmul"), nullptr);
}

TEST(Charts, reports_of_one_machine_are_lines_of_their_own) {
  SyntheticRun slow;
  slow.slowdown = 2;
  std::vector<Report> reports;
  reports.push_back(Report::parse(synthetic_report({}), "folder/old.csv"));
  reports.push_back(Report::parse(synthetic_report(slow), "folder/new.csv"));
  const auto charts = charts_of(reports);
  const auto* chart = find(charts, "rate-matmul-f32");
  ASSERT_NE(chart, nullptr);
  ASSERT_GE(chart->series.size(), 2);
  EXPECT_EQ(chart->series[0].label, "old · serial:0");
  EXPECT_EQ(chart->series[1].label, "new · serial:0");
  EXPECT_NE(chart->series[0].colour, chart->series[1].colour);
  EXPECT_NEAR(chart->series[0].points[0].y / chart->series[1].points[0].y, 2, 0.1);
}

TEST(Charts, rows_that_failed_are_not_drawn) {
  SyntheticRun failed;
  failed.change = [](Row& row) { row.set(Column::status, Status::failed); };
  EXPECT_TRUE(charts_of(report_of({failed})).empty());
}

// One side of a search: a row per size, as `find` writes it.
SyntheticRun search_side(SyntheticRun run, const std::string& side, const std::string& run_id) {
  run.run_id = run_id;
  run.rounds = 1;
  run.sizes = {16, 96, 112, 1024};
  run.change = [side](Row& row) {
    row.set(Column::mode, "find");
    row.set(Column::ceiling, unknown);
    row.set(Column::details,
            format_pairs(Pairs{{"mode", "resident"},
                               {"side", side},
                               {"duel", "serial:0/resident|fast:0/resident"},
                               {"visit", "1"},
                               {"faster", *row.real(Column::n) < 104 ? "from" : "to"}}));
  };
  return run;
}

TEST(Charts, a_search_is_drawn_with_its_bracket) {
  const auto charts = charts_of(
      report_of({search_side({}, "from", "search"), search_side(slow_to_start(), "to", "search")}));
  ASSERT_EQ(charts.size(), 1);
  const auto& chart = charts[0];
  EXPECT_EQ(chart.id, "search-matmul-f32-resident-serial-0-against-fast-0");
  EXPECT_EQ(chart.title,
            "Search for the break-even point: matmul, f32, resident, serial:0 against fast:0");
  ASSERT_EQ(chart.series.size(), 3);
  EXPECT_EQ(chart.series[0].label, "serial:0");
  EXPECT_EQ(chart.series[1].label, "fast:0");
  ASSERT_EQ(chart.series[0].points.size(), 4);
  EXPECT_NEAR(chart.series[0].points[3].y, 100e9, 3e9);
  EXPECT_EQ(chart.series[2].line, Line::band);
  EXPECT_EQ(chart.series[2].label, "break-even 96 to 112");
}

TEST(Charts, a_search_leaves_the_lines_of_a_run_alone_and_narrows_their_bracket) {
  const auto charts = charts_of(
      report_of({SyntheticRun{}, slow_to_start(), search_side({}, "from", "search"),
                 search_side(slow_to_start(), "to", "search"), search_side({}, "from", "again"),
                 search_side(slow_to_start(), "to", "again")}));
  const auto* chart = find(charts, "rate-matmul-f32");
  ASSERT_NE(chart, nullptr);
  ASSERT_EQ(chart->series.size(), 5);
  EXPECT_EQ(chart->series[0].points.size(), 3);
  EXPECT_EQ(chart->series[4].label, "break-even 96 to 112: serial:0 / fast:0, resident");
  EXPECT_NE(find(charts, "search-matmul-f32-resident-serial-0-against-fast-0"), nullptr);
  EXPECT_NE(find(charts, "search-matmul-f32-resident-serial-0-against-fast-0-2"), nullptr);
}

TEST(Charts, a_search_on_another_machine_marks_nothing_in_the_lines_of_this_one) {
  auto from = search_side({}, "from", "search"), to = search_side(slow_to_start(), "to", "search");
  from.machine = to.machine = "beta";
  const auto charts = charts_of(report_of({SyntheticRun{}, from, to}));
  const auto* chart = find(charts, "rate-matmul-f32");
  ASSERT_NE(chart, nullptr);
  for (const auto& series : chart->series) {
    EXPECT_NE(series.line, Line::band) << series.label;
  }
}

TEST(Charts, modes_that_a_search_compares_are_lines_of_their_own) {
  const auto in_mode = [](const std::string& mode, double slowdown) {
    SyntheticRun run;
    run.rounds = 1;
    run.slowdown = slowdown;
    run.change = [mode](Row& row) {
      row.set(Column::mode, "find");
      row.set(Column::details, format_pairs(Pairs{{"mode", mode}, {"duel", "a"}}));
    };
    return run;
  };
  const auto charts = charts_of(report_of({in_mode("slow", 2), in_mode("fast", 1)}));
  ASSERT_EQ(charts.size(), 1);
  ASSERT_EQ(charts[0].series.size(), 2);
  EXPECT_EQ(charts[0].series[0].label, "serial:0 · slow");
  EXPECT_EQ(charts[0].series[1].label, "serial:0 · fast");
  EXPECT_EQ(charts[0].series[1].line, Line::dashed);
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

TEST(Gnuplot, a_wide_interval_does_not_flatten_the_lines) {
  Chart chart;
  chart.series = {{"a", 0, Line::solid, {{1, 10, 1e-6, 1e6, "r0-2"}, {2, 30, 30, 30, "r0-3"}}},
                  {"b", 100, Line::band, {{1, 0, 0, 0, {}}, {2, 0, 0, 0, {}}}}};
  EXPECT_TRUE(contains(gnuplot_script(chart, "f.svg"), "set yrange [6.66666666666666"));
  EXPECT_TRUE(contains(gnuplot_script(chart, "f.svg"), ":45]"));
  EXPECT_TRUE(contains(gnuplot_script(chart, "f.svg"), "set ytics (1, 2, 5, 10, 20, 50)\n"));
}

TEST(Gnuplot, a_chart_of_bands_alone_has_no_range_of_its_own) {
  Chart chart;
  chart.series = {{"b", 100, Line::band, {{1, 0, 0, 0, {}}, {2, 0, 0, 0, {}}}}};
  EXPECT_FALSE(contains(gnuplot_script(chart, "f.svg"), "inf"));
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
