// SPDX-License-Identifier: Apache-2.0
#include "reports/html/page.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/answers/headline.hpp"
#include "reports/answers/overview.hpp"
#include "reports/html/other_formats.hpp"
#include "reports/reader/row_rules.hpp"
#include "reports/text/escape.hpp"
#include "tests/unit/reports/synthetic_report.hpp"

namespace breakeven {
namespace {

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

std::vector<Report> one_report(const SyntheticRun& run) {
  std::vector<Report> reports;
  reports.push_back(Report::parse(synthetic_report(run), "r.csv"));
  return reports;
}

std::string page(const std::vector<Report>& reports, std::vector<Answer> answers = {}) {
  return page_of({reports, {std::move(answers)}, remarks_of(reports), drawing::charts_of(reports)});
}

TEST(Page, has_every_row_once_with_an_address) {
  const auto reports = one_report({});
  const auto text = page(reports);
  for (std::size_t i = 0; i < reports[0].size(); ++i) {
    EXPECT_EQ(count(text, "<tr id=\"" + drawing::id_of(0, reports[0].row(i)) + "\""), 1);
  }
}

TEST(Page, loads_nothing) {
  auto text = page(one_report({}));
  for (const auto* part : {" src=", "@import", "url(", "<link", "<iframe", "://"}) {
    EXPECT_EQ(count(text, part), 0) << part;
  }
  EXPECT_TRUE(contains(text, "default-src 'none'"));
}

TEST(Page, text_of_a_hostile_report_does_nothing) {
  const std::string hostile = "</script><script>alert(1)</script><img src=x onerror='a\"b'>";
  SyntheticRun run;
  run.change = [&](Row& row) {
    for (const auto& column : columns()) {
      if (column.kind == ColumnKind::text && column.column != Column::status) {
        row.set(column.column, hostile);
      }
    }
    row.set(Column::labels, format_pairs(Pairs{{"<script>alert(2)</script>", hostile}}));
  };
  run.rounds = 1;
  run.sizes = {64};
  const auto reports = one_report(run);
  ASSERT_EQ(reports[0].size(), 1);
  const auto text = page(reports, {{"Q1", hostile, true, {{hostile, {0}}}}});
  EXPECT_FALSE(contains(text, "<script>alert"));
  EXPECT_FALSE(contains(text, "<img"));
  EXPECT_TRUE(contains(text, "&lt;script&gt;alert(1)"));
}

TEST(Page, the_same_report_with_charts_is_hostile_in_vain) {
  SyntheticRun run;
  run.backend = "</script><script>alert(1)</script>";
  const auto reports = one_report(run);
  ASSERT_FALSE(drawing::charts_of(reports).empty());
  EXPECT_FALSE(contains(page(reports), "<script>alert"));
}

TEST(Page, answers_come_first_and_link_to_their_rows) {
  const auto text =
      page(one_report({}), {{"Q1", "Who is faster?", true, {{"serial:0", {0, 1}}, {" is.", {}}}}});
  EXPECT_LT(text.find("Who is faster?"), text.find("Can these numbers be believed?"));
  EXPECT_TRUE(contains(text, "<a href=\"#r0-2\" title=\"Line 2, 3\">serial:0</a> is."));
}

TEST(Page, failed_and_disturbed_rows_can_be_seen) {
  SyntheticRun run;
  run.change = [](Row& row) {
    if (row.text(Column::n) == "64") {
      row.set(Column::status, Status::wrong);
      row.set(Column::reason, "c[3,17] is 0.5, expected 0.25");
      row.set(Column::disturbed, 1);  // says less than why there is no time
    } else if (row.text(Column::n) == "128") {
      row.set(Column::disturbed, 3);
    }
  };
  const auto text = page(one_report(run));
  EXPECT_TRUE(contains(text, "5 rows are wrong"));
  EXPECT_EQ(count(text, "wrong: c[3,17] is 0.5, expected 0.25</td>"), 5);
  EXPECT_EQ(count(text, "ok, 3 disturbed</td>"), 5);
  EXPECT_EQ(count(text, "data-kind=\"not-ok disturbed\""), 5);
}

TEST(Page, too_few_visits_are_no_certainty) {
  SyntheticRun run;
  run.sizes = {64};
  run.change = [](Row& row) {
    row.set(Column::n_visits, 1);
    for (const auto column : {Column::median_low_ns, Column::median_high_ns}) {
      row.set(column, *row.real(Column::median_ns));
    }
  };
  const auto text = page(one_report(run));
  EXPECT_FALSE(contains(text, "±0.0 %"));
  EXPECT_EQ(count(text, ">1 visit</td>"), 5);
  EXPECT_TRUE(contains(text, "5 rows were visited too few times"));
}

TEST(Page, visits_of_a_search_are_not_taken_for_rounds) {
  SyntheticRun run;
  run.rounds = 2;
  run.change = [](Row& row) {
    row.set(Column::mode, "find");
    row.set(Column::stop_reason, *row.real(Column::round) < 2 ? "precision" : "budget");
  };
  const auto text = page(one_report(run));
  EXPECT_FALSE(contains(text, "2 rounds"));
  EXPECT_FALSE(contains(text, "ended at the time budget"));
  EXPECT_TRUE(contains(text, "3 probes of a search ended without a winner."));
}

TEST(Page, every_row_says_how_to_measure_it_again) {
  SyntheticRun run;
  run.sizes = {64};
  run.rounds = 1;
  run.seed = 7;
  const auto reports = one_report(run);
  EXPECT_EQ(reproducing_command(reports[0].row(0)),
            "breakeven run --case matmul --backend serial --type f32 --mode resident --size 64 "
            "--cache hot --seed 7 --filter '^matmul/serial:0/f32/resident/n:64$'");
  EXPECT_TRUE(contains(page(reports), html(reproducing_command(reports[0].row(0)))));
}

TEST(Page, what_is_pasted_into_a_shell_is_one_command) {
  SyntheticRun run;
  run.sizes = {64};
  run.rounds = 1;
  run.change = [](Row& row) {
    row.set(Column::case_name, "matmul; touch X;");
    row.set(Column::backend, "$(touch X)");
    row.set(Column::mode, "it's");
    row.set(Column::cache, "--out=X");
  };
  const auto reports = one_report(run);
  ASSERT_EQ(reports[0].size(), 1);
  EXPECT_EQ(reproducing_command(reports[0].row(0)),
            "breakeven run --case 'matmul; touch X;' --backend '$(touch X)' --type f32 "
            "--mode 'it'\\''s' --size 64 --cache=--out=X --seed 1 --filter "
            "'^matmul; touch X;/serial:0/f32/it'\\''s/n:64/cache:--out=X$'");
}

TEST(Page, machines_stand_side_by_side) {
  std::vector<Report> reports;
  for (const auto* machine : {"alpha", "beta"}) {
    SyntheticRun run;
    run.machine = machine;
    reports.push_back(Report::parse(synthetic_report(run), std::string(machine) + ".csv"));
  }
  const auto text = machines_table(reports);
  EXPECT_TRUE(contains(text, "<th>alpha (alpha.csv)</th><th>beta (beta.csv)</th>"));
  EXPECT_EQ(count(text, "<td>Example Processor 9000 at 3.0 GHz</td>"), 2);
}

TEST(Page, an_empty_report_is_a_page_too) {
  std::vector<Report> reports;
  reports.push_back(Report::parse(header_line(), "r.csv"));
  EXPECT_TRUE(contains(page(reports), "r.csv: has no rows."));
}

TEST(Page, devices_are_told_on_lines_of_their_own) {
  const auto text =
      page(one_report({}),
           {{"Q1", "Who?", true, {{"It takes ", {}}, {"a: 1;", {}, true}, {"2 ns", {0}, true}}}});
  EXPECT_TRUE(contains(text, "<p>It takes <br>a: 1;<br><a href=\"#r0-2\""));
}

TEST(Page, an_answer_is_a_sentence_and_the_other_devices_fold) {
  const auto text = page(
      one_report({}),
      {{"Q1",
        "Who?",
        true,
        {{"It takes ", {}}, {"a: 1;", {0}, true}, {"b: 2;", {1}, true}, {"c: 3.", {2}, true}}}});
  EXPECT_LT(text.find("a: 1;"), text.find("<details><summary>2 more</summary>"));
  EXPECT_LT(text.find("<details><summary>2 more</summary>"), text.find("b: 2;"));
}

TEST(Page, more_than_all_of_a_ceiling_is_explained) {
  SyntheticRun run;
  double share = 1.18;
  run.change = [&](Row& row) { row.set(Column::ceiling_share, share); };
  const auto told = [&] {
    return page(one_report(run), {{"Q7", "How fast?", true, {{"118 %", {0}}, {" of it.", {}}}}});
  };
  EXPECT_TRUE(contains(told(), "More than 100 %: the ceiling was measured at another moment"));
  share = 1;
  EXPECT_FALSE(contains(told(), "More than 100 %"));
}

TEST(Page, says_no_folder_of_the_machine_it_was_made_on) {
  for (const std::size_t count : {1U, 2U, 12U}) {
    std::vector<Report> reports;
    for (std::size_t i = 0; i < count; ++i) {
      auto text = synthetic_report({});
      text.resize(text.size() - 9);  // a note tells what is wrong with it
      reports.push_back(
          Report::parse(text, "/home/someone/secret" + std::to_string(i) + "/run.csv"));
    }
    EXPECT_FALSE(contains(page(reports, answers(reports[0])), "/home/someone")) << count;
  }
}

TEST(Page, questions_without_an_answer_are_folded_below_the_others) {
  const auto text = page(one_report({}), {{"Q1", "Who?", false, {{"Nobody asked.", {}}}},
                                          {"Q2", "When?", true, {{"Now.", {}}}}});
  EXPECT_LT(text.find("When?"), text.find("<details class=\"quiet\"><summary>1 question is not"));
  EXPECT_LT(text.find("1 question is not"), text.find("Who?"));
  EXPECT_TRUE(contains(page(one_report({}), {{"Q1", "Who?", false, {{"Nobody asked.", {}}}}}),
                       "<details class=\"quiet\" open>"));
}

TEST(Page, what_is_odd_about_a_file_is_told_as_what_it_is) {
  const auto odd = [](const std::string& text) {
    std::vector<Report> reports;
    reports.push_back(Report::parse(text, "r.csv"));
    return page(reports);
  };
  const auto whole = synthetic_report({});
  EXPECT_TRUE(
      contains(odd(whole.substr(0, whole.size() - 9)), "Not all of the file could be used"));
  auto run = SyntheticRun{};
  run.machine = "beta";
  run.run_id = "run-2";
  EXPECT_TRUE(contains(odd(whole + synthetic_report(run).substr(header_line().size())),
                       "Of the file itself: "));
}

TEST(Page, three_rounds_are_not_said_to_hold_no_process) {
  SyntheticRun run;
  run.rounds = 3;
  EXPECT_FALSE(contains(page(one_report(run)), "do not hold"));
  EXPECT_TRUE(contains(page(one_report(run)), "3 rounds: the intervals are wide"));
  run.rounds = 2;
  EXPECT_TRUE(contains(page(one_report(run)), "2 rounds: the intervals do not hold"));
}

TEST(Page, runs_of_one_round_in_one_file_are_as_many_rounds) {
  std::string text;
  for (const auto* id : {"run-1", "run-2", "run-3", "run-4", "run-5"}) {
    SyntheticRun run;
    run.run_id = id;
    run.rounds = 1;
    const auto report = synthetic_report(run);
    text += text.empty() ? report : report.substr(header_line().size());
    std::vector<Report> reports;
    reports.push_back(Report::parse(text, "report.csv"));
    const auto shown = page(reports);
    EXPECT_EQ(contains(shown, "do not hold"), run.run_id < "run-3") << id;
    EXPECT_EQ(contains(shown, "are wide"), run.run_id > "run-2" && run.run_id < "run-5") << id;
  }
}

TEST(Page, rows_of_several_reports_name_theirs) {
  std::vector<Report> reports;
  for (const auto* name : {"old.csv", "new.csv"}) {
    reports.push_back(Report::parse(synthetic_report({}), name));
  }
  EXPECT_EQ(count(page(reports), "<div class=\"quiet\">old.csv</div>"), 15);
}

TEST(Page, begins_with_where_another_pays_off) {
  SyntheticRun fast;
  fast.backend = "fast";
  fast.run_id = "run-2";
  fast.overhead_ns = 20'000;
  fast.flops_per_ns = 1000;
  auto text = synthetic_report({});
  text += synthetic_report(fast).substr(header_line().size());
  std::vector<Report> reports;
  reports.push_back(Report::parse(text, "r.csv"));
  const auto shown = page(reports);
  EXPECT_TRUE(contains(shown, "<h1>fast beats serial from n = 128 on</h1>"));
  for (const auto* part :
       {"Which is fastest for a product of 256?", "From which size on does another pay off?",
        "Can I trust it?", "What limits it?", "What should I do next?",
        "breakeven find --case matmul --from serial:0 --to fast:0", "30 of 30 rows verified"}) {
    EXPECT_TRUE(contains(shown, part)) << part;
  }
  EXPECT_LT(shown.find("<svg class=\"chart\""), shown.find("Questions and answers"));
}

// Far below a burst and at what the device keeps up: no fault of the code.
TEST(Page, what_limits_long_work_is_the_clock_that_is_kept_up) {
  SyntheticRun fast;
  fast.backend = "fast";
  fast.overhead_ns = 0;
  fast.noise = 0;
  fast.flops_per_ns = 10;
  const auto limit = [&](double share, const char* sustained) {
    fast.change = [=](Row& row) {
      row.set(Column::ceiling_share, share);
      row.set(Column::details, sustained);
    };
    const auto facts = headline_of(one_report(fast).front()).facts;
    const auto found = std::find_if(facts.begin(), facts.end(), [](const HeadlineFact& fact) {
      return fact.question == "What limits it?";
    });
    return found == facts.end() ? "" : found->answer + "|" + found->detail;
  };
  const auto limited =
      limit(0.6, "sustained_flop_per_s=10.5e9 sustained_low_flop_per_s=10.4e9 sustained_mhz=1200");
  EXPECT_TRUE(contains(limited, "at the clock that its power and cooling allow.")) << limited;
  EXPECT_TRUE(contains(limited, "keeps up 10.5 GFLOP/s at 1200 MHz: 95 % of that.")) << limited;
  const auto unsteady = limit(0.6, "sustained_flop_per_s=10.5e9 sustained_low_flop_per_s=9e9");
  EXPECT_TRUE(contains(unsteady, "keeps up 10.5 GFLOP/s, not steadily")) << unsteady;
  EXPECT_TRUE(contains(limit(0.3, "sustained_flop_per_s=20e9 sustained_low_flop_per_s=20e9"),
                       "How it is computed"));
  EXPECT_FALSE(contains(limit(0.6, "NA"), "keeps up"));
}

TEST(Page, cases_stand_by_backends_in_relative_time) {
  SyntheticRun slow;
  slow.backend = "slow";
  slow.slowdown = 3;
  slow.noise = 0;
  SyntheticRun base;
  base.noise = 0;
  auto text = synthetic_report(base) + synthetic_report(slow).substr(header_line().size());
  std::vector<Report> reports;
  reports.push_back(Report::parse(text, "r.csv"));
  EXPECT_EQ(count(matrices(reports), ">×3.00</a>"), 3);
  EXPECT_EQ(count(matrices(reports), ">×1.00</a>"), 3);
}

TEST(Page, each_machine_has_its_break_even_point) {
  std::vector<Report> reports;
  for (const auto* machine : {"alpha", "beta"}) {
    SyntheticRun serial, fast;
    fast.backend = "fast";
    fast.overhead_ns = std::string(machine) == "alpha" ? 20'000 : 200'000;
    fast.flops_per_ns = 1000;
    serial.machine = fast.machine = machine;
    // The order of the sides in a file turns no ratio.
    const auto first = std::string(machine) == "alpha" ? serial : fast;
    const auto second = std::string(machine) == "alpha" ? fast : serial;
    reports.push_back(Report::parse(
        synthetic_report(first) + synthetic_report(second).substr(header_line().size()),
        std::string(machine) + ".csv"));
  }
  const auto text = page(reports);
  EXPECT_TRUE(contains(text, "fast:0 from n = 128 (64 … 128)"));
  EXPECT_TRUE(contains(text, "fast:0 from n = 256 (128 … 256)"));
  EXPECT_TRUE(contains(text, "<th>serial:0 / fast:0</th>"));
}

TEST(Page, many_machines_are_told_by_case_and_the_slow_one_by_name) {
  std::vector<Report> reports;
  for (int i = 0; i < 12; ++i) {
    SyntheticRun run;
    run.machine = "node" + std::to_string(i);
    run.noise = 0;
    run.slowdown = i == 7 ? 1.5 : 1;
    reports.push_back(Report::parse(synthetic_report(run), run.machine + ".csv"));
  }
  const auto text = fleet_table(reports);
  EXPECT_EQ(count(text, "<b>node7</b> ×1.500"), 3);
  EXPECT_EQ(count(text, "<b>node"), 3);
}

TEST(Page, many_machines_begin_with_their_spread_and_who_lies_outside) {
  std::vector<Report> reports;
  for (int i = 0; i < 12; ++i) {
    SyntheticRun run, fast;
    fast.backend = "fast";
    fast.overhead_ns = 20'000;
    fast.flops_per_ns = 1000;
    run.machine = fast.machine = "node" + std::to_string(i);
    run.noise = fast.noise = 0;
    run.slowdown = fast.slowdown = i == 7 ? 1.5 : 1;
    reports.push_back(Report::parse(
        synthetic_report(run) + synthetic_report(fast).substr(header_line().size()), "r.csv"));
  }
  EXPECT_TRUE(is_fleet(reports));
  const auto text = page_of({reports, {}, remarks_of(reports), {}});
  EXPECT_TRUE(contains(text, "<h1>fast beats serial from n = 128 on</h1>"));
  EXPECT_TRUE(contains(text, "12 of 12 machines say so."));
  EXPECT_TRUE(contains(text, "<b>fast:0 on 12 of 12 machines</b>"));
  EXPECT_TRUE(contains(text, "<dt>Which machines lie outside?</dt><dd><b>node7</b>"));
  EXPECT_TRUE(contains(text, "data-label=\"node7\" data-v=\"×1.500\""));
  EXPECT_TRUE(contains(text, "fast:0 from n = 128 (64 … 128)</td><td class=\"number\">12</td>"));
  EXPECT_TRUE(contains(text, "360 of 360 rows verified"));
}

TEST(Page, of_several_reports_each_has_its_chart_and_its_trust_on_the_first_screen) {
  std::vector<Report> reports;
  for (const auto* name : {"old.csv", "new.csv"}) {
    reports.push_back(Report::parse(synthetic_report({}), name));
  }
  const auto text = page_of({reports,
                             {answers(reports[0]), answers(reports[1])},
                             remarks_of(reports),
                             drawing::charts_of(reports)});
  const auto first = text.substr(0, text.find("Questions and answers"));
  EXPECT_EQ(count(first, "<article class=\"card\"><h3>alpha ("), 2);
  EXPECT_EQ(count(first, "<svg class=\"chart\""), 2);
  EXPECT_EQ(count(first, "15 of 15 rows verified"), 2);
  EXPECT_EQ(count(first, "ceiling largest product"), 4);  // drawn, and told aloud
  EXPECT_EQ(count(text, "<details class=\"report\">"), 2);
}

TEST(OtherFormats, tell_the_headline_and_the_bracket) {
  SyntheticRun fast;
  fast.backend = "fast";
  fast.overhead_ns = 20'000;
  fast.flops_per_ns = 1000;
  std::vector<Report> reports;
  reports.push_back(Report::parse(
      synthetic_report({}) + synthetic_report(fast).substr(header_line().size()), "r.csv"));
  const PageContent content{reports, {answers(reports[0])}, remarks_of(reports), {}};
  const auto json = nlohmann::json::parse(report_json(content));
  const auto& point = json["reports"][0]["break_even"][0];
  EXPECT_EQ(point["low"], 64);
  EXPECT_EQ(point["high"], 128);
  EXPECT_EQ(point["pays_off_from"], 128);
  EXPECT_EQ(point["case"], "matmul");
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["reports"][0]["headline"]["title"], "fast beats serial from n = 128 on");
  const auto& facts = json["reports"][0]["headline"]["facts"];
  EXPECT_EQ(facts.size(), 5);
  // Rows of two runs were not measured in turns.
  EXPECT_TRUE(contains(facts[0]["detail"].get<std::string>(), "times as long ("));
  EXPECT_TRUE(contains(facts[0]["detail"].get<std::string>(), ", unpaired)"));
  EXPECT_TRUE(contains(facts[1]["detail"].get<std::string>(), "At n = 256 serial takes "));
  const auto markdown = report_markdown(content);
  EXPECT_TRUE(markdown.starts_with("# fast beats serial from n = 128 on\n"));
  EXPECT_TRUE(contains(markdown, "| matmul/f32/resident/n:64 |"));
}

TEST(OtherFormats, a_report_of_other_cases_has_its_own_headline_and_commands) {
  SyntheticRun slow, fast;
  fast.backend = "fast;touch x";
  fast.overhead_ns = 20'000;
  fast.flops_per_ns = 1000;
  std::string text = header_line();
  for (auto run : {slow, fast}) {
    run.change = [](Row& row) {
      row.set(Column::mode, "offload-always");
      row.set(Column::name,
              name_of_key([&](Column column) { return std::string_view(row.text(column)); }));
    };
    text += synthetic_report(run).substr(header_line().size());
  }
  const auto headline = headline_of(Report::parse(text, "r.csv"));
  EXPECT_EQ(headline.title, "fast;touch x beats serial from n = 128 on");
  EXPECT_TRUE(contains(headline.subtitle, "matmul, f32, offload-always"));
  EXPECT_EQ(headline.facts.back().commands.front(),
            "breakeven find --case matmul --mode offload-always --from serial:0 --to "
            "'fast;touch x:0' --range 64:128");
}

// A slow library must not make a GPU pay off.
TEST(OtherFormats, other_hardware_pays_off_where_it_beats_the_best_that_there_was) {
  SyntheticRun poor, good, gpu;
  poor.backend = "poor";
  good.backend = "good";
  good.flops_per_ns = 300;
  gpu.backend = "gpu";
  gpu.overhead_ns = 20'000;
  gpu.flops_per_ns = 1000;
  const auto title = [&](const std::string& hardware_of_gpu) {
    std::string text = header_line();
    for (auto run : {poor, good, gpu}) {
      run.change = [&](Row& row) {
        row.set(Column::hardware, run.backend == "gpu" ? hardware_of_gpu : std::string("host"));
      };
      text += synthetic_report(run).substr(header_line().size());
    }
    return headline_of(Report::parse(text, "r.csv")).title;
  };
  EXPECT_EQ(title("GPU-1"), "gpu beats good from n = 256 on");
  EXPECT_EQ(title("host"), "gpu beats poor from n = 128 on");
}

TEST(OtherFormats, pairs_of_visits_are_told_from_rows_apart) {
  SyntheticRun slow, fast;
  fast.backend = "fast";
  fast.slowdown = 0.5;
  std::string text = header_line();
  for (auto run : {slow, fast}) {
    run.change = [](Row& row) {
      row.set(Column::line_up, "0." + row.text(Column::round) + ".1");
      const auto visits = parse_samples(row.text(Column::samples_ns))->size();
      std::string sweeps;
      for (std::size_t i = 0; i < visits; ++i) {
        sweeps += (i == 0 ? "" : " ") + std::to_string(i);
      }
      row.set(Column::sweeps, sweeps);
    };
    text += synthetic_report(run).substr(header_line().size());
  }
  std::vector<Report> reports;
  reports.push_back(Report::parse(text, "r.csv"));
  EXPECT_TRUE(contains(headline_of(reports[0]).ratio, ", paired) as fast."));
  EXPECT_TRUE(crossings_of(reports).lines.at(0).cells.at(0).ratio.ends_with("] paired"));
}

TEST(OtherFormats, text_of_a_report_starts_no_markup) {
  SyntheticRun run;
  run.machine = "# [a](b) <img>";
  const auto reports = one_report(run);
  const PageContent content{reports, {answers(reports[0])}, remarks_of(reports), {}};
  EXPECT_FALSE(contains(report_markdown(content), "<img>"));
  EXPECT_FALSE(contains(report_markdown(content), " [a](b)"));
}

TEST(Escape, leaves_no_markup) {
  EXPECT_EQ(html("<a href='x'>&\"\x1b"), "&lt;a href=&#39;x&#39;&gt;&amp;&quot; ");
}

}  // namespace
}  // namespace breakeven
