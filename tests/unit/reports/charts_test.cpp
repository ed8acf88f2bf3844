// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/chart.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>

#include "reports/charts/latency_fit.hpp"
#include "reports/charts/pen.hpp"
#include "reports/charts/svg.hpp"
#include "reports/schema/samples.hpp"
#include "tests/unit/reports/synthetic_report.hpp"

namespace breakeven::drawing {
namespace {

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
  ASSERT_EQ(chart->series.size(), 4);
  EXPECT_EQ(chart->series[0].label, "serial:0");
  ASSERT_EQ(chart->series[0].points.size(), 3);
  EXPECT_NEAR(chart->series[0].points[0].y, 100e9, 3e9);
  EXPECT_LT(chart->series[0].points[0].low, chart->series[0].points[0].y);
  EXPECT_EQ(chart->series[0].points[0].row, "r0-2");
  EXPECT_EQ(chart->series[2].line, Line::ceiling);
  EXPECT_EQ(chart->series[2].label, "ceiling largest product: 1.00 TFLOP/s");
  // 2 n^3 / 100 against 20 000 + 2 n^3 / 1000 nanoseconds: even at n = 104.
  EXPECT_EQ(chart->series[3].line, Line::band);
  EXPECT_EQ(chart->series[3].label, "fast:0 passes serial:0, 64 to 128");
  EXPECT_EQ(chart->series[3].points[0].x, 64);
  EXPECT_EQ(chart->series[3].points[1].x, 128);
}

TEST(Charts, clocks_show_wall_against_handing_over) {
  const auto charts = charts_of(report_of({SyntheticRun{}}));
  const auto* chart = find(charts, "clocks-matmul");
  ASSERT_NE(chart, nullptr);
  ASSERT_EQ(chart->series.size(), 2);
  EXPECT_EQ(chart->series[0].label, "serial:0 wall");
  EXPECT_EQ(chart->series[1].label, "serial:0 enqueue");
  EXPECT_LT(chart->series[1].points[0].y, chart->series[0].points[0].y);
  EXPECT_LT(chart->series[0].points[0].low, chart->series[0].points[0].y);
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

// One row of a case that has bars.
SyntheticRun in_mode(
    const std::string& case_name, const std::string& mode, double ns,
    const std::function<void(Row&)>& more = [](Row&) {}) {
  SyntheticRun run;
  run.rounds = 1;
  run.sizes = {100};
  run.change = [=](Row& row) {
    row.set(Column::case_name, case_name);
    row.set(Column::mode, mode);
    row.set(Column::median_ns, ns);
    more(row);
  };
  return run;
}

const auto counted = [](Row& row) { row.set(Column::count, 1000); };
const auto passes = [](Row& row) { row.set(Column::details, "passes_one_by_one=40000"); };

TEST(Bars, a_jacobian_is_whole_pass_by_pass_and_in_one_batch) {
  const auto charts = charts_of(report_of({in_mode("mlp-jacobian", "per-pass", 18'300, passes),
                                           in_mode("mlp-jacobian", "batched", 1'320'000, passes)}));
  const auto* chart = find(charts, "mlp-jacobian-jacobian");
  ASSERT_NE(chart, nullptr);
  ASSERT_EQ(chart->bars.size(), 2);
  EXPECT_EQ(chart->bars[0].group, "pass by pass");
  EXPECT_NEAR(chart->bars[0].value, 0.732, 1e-9);
  EXPECT_NEAR(chart->bars[1].value, 1.32e-3, 1e-12);
}

TEST(Bars, what_is_done_whole_or_in_pieces_is_the_same_work) {
  const auto charts = charts_of(report_of(
      {in_mode("dispatch", "whole", 135'000), in_mode("dispatch", "pieces", 145'000, counted)}));
  const auto* chart = find(charts, "dispatch-pieces");
  ASSERT_NE(chart, nullptr);
  ASSERT_EQ(chart->bars.size(), 2);
  EXPECT_NEAR(chart->bars[0].value, 135e-6, 1e-12);
  EXPECT_NEAR(chart->bars[1].value, 145e-6, 1e-12);
}

TEST(Bars, operations_are_counted_one_by_one) {
  const auto charts = charts_of(
      report_of({in_mode("dispatch", "empty", 20), in_mode("dispatch", "queued", 1700, counted)}));
  const auto* chart = find(charts, "dispatch-operations");
  ASSERT_NE(chart, nullptr);
  EXPECT_NEAR(chart->bars[0].value, 20e-9, 1e-15);
  EXPECT_NEAR(chart->bars[1].value, 1.7e-9, 1e-15);
}

TEST(Bars, a_model_read_in_one_or_many_transfers_is_one_model) {
  const auto charts = charts_of(report_of(
      {in_mode("parameters", "read-each", 826, [](Row& row) { row.set(Column::count, 6); }),
       in_mode("parameters", "read-flat", 307)}));
  const auto* chart = find(charts, "parameters-read");
  ASSERT_NE(chart, nullptr);
  EXPECT_NEAR(chart->bars[0].value / chart->bars[1].value, 826.0 / 307, 1e-9);
}

TEST(Bars, start_at_nothing_and_say_their_values) {
  for (const auto& chart :
       charts_of(report_of({in_mode("mlp-jacobian", "per-pass", 18'300, passes),
                            in_mode("mlp-jacobian", "batched", 1'320'000, passes)}))) {
    if (!chart.bars.empty()) {
      EXPECT_EQ(chart.y.scale, Scale::linear) << chart.id;
      const auto text = svg(chart, {});
      EXPECT_TRUE(contains(text, ">732 ms "));
      EXPECT_TRUE(contains(text, ">1.32 ms "));
    }
  }
}

TEST(Bars, shares_of_copies_are_parts_of_a_bar) {
  const auto shares = [](Row& row) {
    row.set(Column::details, "upload_share=0.25 compute_share=0.5 download_share=0.25");
  };
  const auto charts = charts_of(report_of(
      {in_mode("matmul", "resident", 1000), in_mode("matmul", "offload-always", 2000, shares)}));
  const auto* chart = find(charts, "matmul-copies");
  ASSERT_NE(chart, nullptr);
  ASSERT_EQ(chart->bars[1].parts.size(), 3);
  EXPECT_EQ(chart->bars[1].parts[1].share, 0.5);
  EXPECT_TRUE(contains(svg(*chart, {}), "copies in 25 % · computes 50 % · copies out 25 %"));
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
  EXPECT_EQ(chart->bars[0].value, 0.93);
  EXPECT_LT(chart->bars[0].low, 0.93);  // as much as the time is uncertain
  EXPECT_GT(chart->bars[0].high, 0.93);
  devices = 1;  // has nobody to share the work with
  EXPECT_EQ(find(charts_of(report_of({run})), "efficiency-matmul"), nullptr);
}

TEST(Charts, reports_of_one_machine_have_charts_of_their_own_in_the_same_colours) {
  SyntheticRun slow;
  slow.slowdown = 2;
  std::vector<Report> reports;
  reports.push_back(Report::parse(synthetic_report({}), "folder/old.csv"));
  reports.push_back(Report::parse(synthetic_report(slow), "folder/new.csv"));
  const auto charts = charts_of(reports);
  const auto* old_chart = find(charts, "alpha-old-rate-matmul-f32");
  const auto* new_chart = find(charts, "alpha-new-rate-matmul-f32");
  ASSERT_NE(old_chart, nullptr);
  ASSERT_NE(new_chart, nullptr);
  EXPECT_EQ(old_chart->origin, "alpha (old)");
  EXPECT_EQ(new_chart->report, 1);
  EXPECT_EQ(new_chart->series[0].label, "serial:0");
  EXPECT_EQ(old_chart->series[0].colour, new_chart->series[0].colour);
  EXPECT_NEAR(old_chart->series[0].points[0].y / new_chart->series[0].points[0].y, 2, 0.1);
}

TEST(Charts, beside_rates_stands_how_many_times_as_long_each_takes) {
  const auto charts = charts_of(report_of({SyntheticRun{}, slow_to_start()}));
  const auto* chart = find(charts, "ratio-rate-matmul-f32");
  ASSERT_NE(chart, nullptr);
  EXPECT_EQ(chart->question, "Q1b");
  ASSERT_EQ(chart->series.size(), 2);
  EXPECT_EQ(chart->series[0].points[0].y, 1);  // the fastest of the smallest
  EXPECT_EQ(chart->series[1].points[2].y, 1);
  EXPECT_NEAR(chart->series[0].points[2].y, 6.3, 0.5);
  EXPECT_LT(chart->series[0].points[2].low, chart->series[0].points[2].y);
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
  EXPECT_EQ(chart.series[2].label, "96 to 112");
}

TEST(Charts, a_search_leaves_the_lines_of_a_run_alone_and_narrows_their_bracket) {
  const auto charts = charts_of(
      report_of({SyntheticRun{}, slow_to_start(), search_side({}, "from", "search"),
                 search_side(slow_to_start(), "to", "search"), search_side({}, "from", "again"),
                 search_side(slow_to_start(), "to", "again")}));
  const auto* chart = find(charts, "rate-matmul-f32");
  ASSERT_NE(chart, nullptr);
  ASSERT_EQ(chart->series.size(), 4);
  EXPECT_EQ(chart->series[0].points.size(), 3);
  EXPECT_EQ(chart->series[3].label, "fast:0 passes serial:0, 96 to 112");
  EXPECT_NE(find(charts, "search-matmul-f32-resident-serial-0-against-fast-0"), nullptr);
  EXPECT_NE(find(charts, "search-matmul-f32-resident-serial-0-against-fast-0-2"), nullptr);
}

TEST(Charts, a_search_on_another_machine_marks_nothing_in_the_lines_of_this_one) {
  auto from = search_side({}, "from", "search"), to = search_side(slow_to_start(), "to", "search");
  from.machine = to.machine = "beta";
  const auto charts = charts_of(report_of({SyntheticRun{}, from, to}));
  const auto* chart = find(charts, "alpha-rate-matmul-f32");
  ASSERT_NE(chart, nullptr);
  for (const auto& series : chart->series) {
    EXPECT_NE(series.line, Line::band) << series.label;
  }
}

TEST(Charts, modes_that_a_search_compares_are_lines_of_their_own) {
  const auto searched = [](const std::string& mode, double slowdown) {
    SyntheticRun run;
    run.rounds = 1;
    run.slowdown = slowdown;
    run.change = [mode](Row& row) {
      row.set(Column::mode, "find");
      row.set(Column::details, format_pairs(Pairs{{"mode", mode}, {"duel", "a"}}));
    };
    return run;
  };
  const auto charts = charts_of(report_of({searched("slow", 2), searched("fast", 1)}));
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

TEST(Svg, text_of_a_report_stays_text) {
  Chart chart;
  chart.title = "</svg><script>";
  chart.series = {{"<l&'\"", 0, Line::solid, {{1, 1, 1, 1, "r0-2"}, {2, 2, 2, 2, "r0-3"}}}};
  for (const bool is_file : {true, false}) {
    const auto text = svg(chart, {.is_file = is_file});
    EXPECT_FALSE(contains(text, "<script>"));
    EXPECT_TRUE(contains(text, "&lt;l&amp;&#39;&quot;"));
  }
}

TEST(Svg, holds_no_number_that_is_none) {
  Chart chart;
  chart.series = {{"b", 100, Line::band, {{1, 0, 0, 0, {}}, {2, 0, 0, 0, {}}}}};
  for (const auto* none : {"inf", "nan"}) {
    EXPECT_FALSE(contains(svg(chart, {}), none));
  }
}

TEST(Svg, a_point_says_its_value_with_its_interval_and_leads_to_its_row) {
  Chart chart;
  chart.x = {"n", "", Scale::logarithmic};
  chart.y = {"time", "s", Scale::logarithmic};
  chart.series = {
      {"a", 0, Line::solid, {{1, 1e-6, 9e-7, 2e-6, "r0-2"}, {2, 3e-6, 3e-6, 3e-6, {}}}}};
  EXPECT_TRUE(contains(svg(chart, {}),
                       "<a href=\"#r0-2\" tabindex=\"-1\" data-x=\"1\" "
                       "data-v=\"1.00 µs [900 ns, 2.00 µs]\">"));
  EXPECT_FALSE(contains(svg(chart, {.is_file = true}), "<a "));
}

TEST(Svg, no_two_of_32_series_look_alike) {
  std::set<std::string> looks;
  for (std::size_t colour = 0; colour < 32; ++colour) {
    looks.insert(colour_class(colour) + mark_at(0, 0, colour));
  }
  EXPECT_EQ(looks.size(), 32);
}

TEST(Svg, every_ceiling_is_named_on_a_narrow_chart_too) {
  Chart chart;
  chart.x = {"n", "", Scale::logarithmic};
  chart.y = {"rate", "B/s", Scale::logarithmic};
  chart.series = {{"a", 0, Line::solid, {{1, 1e9, 1e9, 1e9}, {64, 2e9, 2e9, 2e9}}}};
  for (const double value : {1.9e9, 2e9, 2.1e9, 2.2e9}) {
    chart.series.push_back({"ceiling of a long name that is long: " + std::to_string(value),
                            0,
                            Line::ceiling,
                            {{1, value, value, value}, {64, value, value, value}}});
  }
  for (const double width : {380.0, 760.0}) {
    const auto text = svg(chart, {.width = width});
    for (std::size_t i = 1; i < chart.series.size(); ++i) {
      EXPECT_TRUE(contains(text, ">" + chart.series[i].label + "</text>")) << width << " " << i;
    }
  }
}

TEST(Svg, charts_side_by_side_have_one_scale) {
  Chart one, other;
  one.series = {{"a", 0, Line::solid, {{1, 1e3, 1e3, 1e3}, {64, 1e6, 1e6, 1e6}}}};
  other.series = {{"a", 0, Line::solid, {{1, 1e6, 1e6, 1e6}, {64, 1e9, 1e9, 1e9}}}};
  for (auto* chart : {&one, &other}) {
    chart->y.low = 1e3;
    chart->y.high = 1e9;
  }
  const auto grid = [](const Chart& chart) {
    const auto text = svg(chart, {});
    const auto begin = text.find("<path class=\"grid\"");
    return text.substr(begin, text.find("/>", begin) - begin);
  };
  EXPECT_EQ(grid(one), grid(other));
}

TEST(Svg, every_bracket_has_its_reach_and_its_label) {
  Chart chart;
  chart.series = {{"a", 0, Line::solid, {{1, 1, 1, 1}, {64, 2, 2, 2}}},
                  {"one passes, 2 to 8", 100, Line::band, {{2, 0}, {8, 0}}},
                  {"other passes, 2 to 32", 101, Line::band, {{2, 0}, {32, 0}}}};
  const auto text = svg(chart, {});
  const auto first = text.find("class=\"bracket\"");
  ASSERT_NE(first, text.npos);
  EXPECT_NE(text.find("class=\"bracket\"", first + 1), text.npos);
  EXPECT_TRUE(contains(text, ">other passes, 2 to 32</text>"));
}

TEST(Svg, a_box_names_who_lies_outside) {
  Chart chart;
  chart.boxes = {{"matmul/n:64", "1.00 ms", 0.97, 0.99, 1.01, 1.03, {{"node7", 1.5}}}};
  const auto text = svg(chart, {.width = 380});
  EXPECT_TRUE(contains(text, ">node7</text>"));
  EXPECT_TRUE(contains(text, "data-label=\"node7\" data-v=\"×1.500\""));
  EXPECT_TRUE(contains(spoken(chart), "matmul/n:64: half of the machines from ×0.990 to ×1.010"));
}

TEST(Svg, a_chart_is_told_to_those_who_do_not_see_it) {
  const auto charts = charts_of(report_of({SyntheticRun{}, slow_to_start()}));
  const auto text = spoken(*find(charts, "rate-matmul-f32"));
  EXPECT_TRUE(contains(text, "serial:0: ")) << text;
  EXPECT_TRUE(contains(text, "fast:0 passes serial:0, 64 to 128")) << text;
}

// Relative luminance and contrast as WCAG 2 defines them.
double luminance(std::string_view colour) {
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    const double part =
        std::stoi(std::string(colour.substr(1 + 2 * static_cast<std::size_t>(i), 2)), nullptr, 16) /
        255.0;
    constexpr double weights[] = {0.2126, 0.7152, 0.0722};
    sum += weights[i] * (part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4));
  }
  return sum;
}

double contrast(std::string_view one, std::string_view other) {
  const auto [low, high] = std::minmax({luminance(one), luminance(other)});
  return (high + 0.05) / (low + 0.05);
}

TEST(Svg, every_colour_stands_out_from_the_page_and_its_panels) {
  for (const auto colour : light_colours) {
    EXPECT_GE(contrast(colour, "#ffffff"), 3) << colour;
    EXPECT_GE(contrast(colour, "#f5f7f9"), 3) << colour;
  }
  for (const auto colour : dark_colours) {
    EXPECT_GE(contrast(colour, "#14181d"), 3) << colour;
    EXPECT_GE(contrast(colour, "#1c2229"), 3) << colour;
  }
}

TEST(Svg, every_chart_is_a_file) {
  const auto folder =
      std::filesystem::path(testing::TempDir()) / ("breakeven_svg_" + std::to_string(getpid()));
  const auto charts = charts_of(report_of({SyntheticRun{}, slow_to_start()}));
  const auto files = write_svg(charts, folder);
  ASSERT_EQ(files.size(), charts.size());
  for (const auto& file : files) {
    std::ifstream stream(file);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    EXPECT_TRUE(text.starts_with("<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\""));
    EXPECT_TRUE(text.ends_with("</svg>\n")) << file;
  }
  std::filesystem::remove_all(folder);
  EXPECT_THROW(write_svg(charts, "/dev/null/folder"), std::runtime_error);
}

TEST(Rooflines, points_lie_at_their_work_per_byte_below_their_roofs) {
  SyntheticRun run;
  run.change = [](Row& row) {
    row.set(Column::work_bytes, 12 * std::pow(*row.real(Column::n), 2));
  };
  const auto charts = charts_of(report_of({run}));
  const auto* chart = find(charts, "roofline");
  ASSERT_NE(chart, nullptr);
  EXPECT_NEAR(chart->series[0].points[0].x, 2 * 64 / 12.0, 1e-9);
  EXPECT_EQ(chart->series[0].line, Line::none);
  EXPECT_EQ(chart->series[0].points[0].name, "matmul/serial:0/f32/resident/n:64");
  EXPECT_EQ(chart->series[1].line, Line::ceiling);
  EXPECT_TRUE(
      contains(svg(*chart, {.width = 380}), "data-label=\"matmul/serial:0/f32/resident/n:64\""));
}

TEST(VisitsOfACase, are_drawn_in_their_order_of_all_devices) {
  SyntheticRun run;
  double ns = 0;
  run.change = [&](Row& row) {
    ns = *row.real(Column::median_ns);
    const std::vector<std::vector<double>> visits{{0.5 * ns, 0.5 * ns}, {1.5 * ns, 1.5 * ns}};
    row.set(Column::samples_ns, format_samples(visits));
  };
  auto other = run;
  other.backend = "fast";
  const auto charts = charts_of(report_of({run, other}));
  const auto chart = std::find_if(charts.begin(), charts.end(),
                                  [](const Chart& one) { return one.id.starts_with("visits-"); });
  ASSERT_NE(chart, charts.end());
  ASSERT_EQ(chart->series.size(), 4);  // of each device its samples, and the median of each visit
  const auto& samples = chart->series[0].points;
  ASSERT_EQ(samples.size(), 4);
  EXPECT_EQ(samples[2].x - samples[0].x, 1);
  EXPECT_NEAR(samples[2].y / samples[0].y, 3, 1e-6);
  EXPECT_EQ(chart->series[1].label, "serial:0");
  EXPECT_EQ(chart->series[1].points.size(), 2);
  EXPECT_EQ(chart->series[3].label, "fast:0");
}

}  // namespace
}  // namespace breakeven::drawing
