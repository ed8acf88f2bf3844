// SPDX-License-Identifier: Apache-2.0
#include "reports/reader/report.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <tuple>

#include "tests/unit/reports/synthetic_report.hpp"

namespace breakeven {
namespace {

SyntheticRun three_rows() {
  SyntheticRun run;
  run.rounds = 1;
  return run;
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  const auto place = text.find(what);
  EXPECT_NE(place, text.npos) << what;
  return text.replace(place, what.size(), with);
}

Report parse(std::string text) {
  return Report::parse(std::move(text), "r.csv");
}

std::string refusal(std::string text) {
  try {
    parse(std::move(text));
  } catch (const ReportError& error) {
    return error.what();
  }
  return "not refused";
}

std::string only_note(const Report& report) {
  EXPECT_EQ(report.notes().size(), 1);
  return report.notes().empty() ? "" : report.notes()[0].text;
}

TEST(Report, an_interval_needs_six_visits) {
  auto rows = synthetic_rows(three_rows());
  rows[0].set(Column::n_visits, 6);
  rows[1].set(Column::n_visits, 5);
  rows[2].set(Column::median_low_ns, "NA");
  const auto report = parse(csv(rows));
  EXPECT_EQ(report.row(0).visits_interval()->low_ns, rows[0].real(Column::median_low_ns));
  EXPECT_FALSE(report.row(1).visits_interval());
  EXPECT_FALSE(report.row(2).visits_interval());
}

TEST(Report, gives_back_what_was_written) {
  auto rows = synthetic_rows(three_rows());
  rows[1].set(Column::reason, "a,b \"quoted\"");
  rows[2].set(Column::reason, "\"");
  rows[0].set(Column::device_name, "=HYPERLINK(\"x\")");
  rows[1].set(Column::device_name, "%3D");
  rows[2].set(Column::device_name, "-alpha");
  const auto report = parse(csv(rows));
  ASSERT_EQ(report.size(), 3);
  EXPECT_TRUE(report.notes().empty());
  for (std::size_t i = 0; i < 3; ++i) {
    for (const auto& column : columns()) {
      EXPECT_EQ(report.row(i).text(column.column), rows[i].text(column.column)) << column.name;
    }
    EXPECT_EQ(report.row(i).line(), i + 2);
    EXPECT_EQ(report.row(i).status(), Status::ok);
    EXPECT_EQ(report.row(i).real(Column::median_ns), rows[i].real(Column::median_ns));
  }
  EXPECT_EQ(report.row(0).samples(Column::samples_ns)->size(), 10);
}

TEST(Report, a_header_alone_is_a_report_without_rows) {
  const auto report = parse(header_line());
  EXPECT_EQ(report.size(), 0);
  EXPECT_TRUE(report.notes().empty());
}

TEST(Report, what_is_no_report_is_refused_in_one_line_that_says_what_to_do) {
  EXPECT_TRUE(contains(refusal(""), "r.csv: is empty"));
  EXPECT_TRUE(contains(refusal("{\"context\": {}}\n"), "JSON"));
  EXPECT_TRUE(contains(refusal("a,b\n1,2\n"), "no column schema_version in 'a,b'"));
  EXPECT_TRUE(contains(refusal(replaced(header_line(), ",median_ns,", ",")), "median_ns"));
  EXPECT_TRUE(contains(refusal(replaced(header_line(), ",min_ns,", ",median_ns,")), "twice"));
}

TEST(Report, a_file_that_cannot_be_opened_says_why) {
  const auto why = [](const char* path) -> std::string {
    try {
      Report::read(path);
    } catch (const ReportError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(why("/no/report.csv"),
            "/no/report.csv: there is no such file; `breakeven run --out FILE` writes one");
  EXPECT_TRUE(contains(why("/"), "/: cannot be read"));
  EXPECT_TRUE(contains(why("/dev/zero"), "/dev/zero: cannot be read"));
}

TEST(Report, a_torn_last_line_costs_one_row_and_a_note) {
  const auto whole = synthetic_report(three_rows());
  for (std::size_t torn = 1; torn < 200; ++torn) {
    const auto report = parse(whole.substr(0, whole.size() - torn));
    ASSERT_EQ(report.size(), 2);
    ASSERT_EQ(report.left_out(), 1);
    ASSERT_TRUE(contains(only_note(report), "torn"));
    ASSERT_EQ(report.notes()[0].line, 4);
  }
}

TEST(Report, a_broken_row_costs_one_row_and_says_its_line) {
  const auto whole = synthetic_report(three_rows());
  for (const auto& [part, with, words] :
       {std::tuple{"n:128,ok", "n:128,ok,", "fields where the header has"},
        {"n:128,ok", "n:128,\"ok", "quote"},
        {"n:128,ok", "n:128,\"o\"k", "quote"},
        {"n:128,ok", "n:128,fine", "column status: 'fine' is unknown"},
        {"n:128,ok,NA,", "n:128,ok,NA,-", "' is negative"},
        {"resident,128,", "resident,12x8,", "column m: '12x8' is not an integer"}}) {
    const auto report = parse(replaced(whole, part, with));
    EXPECT_EQ(report.size(), 2) << part;
    EXPECT_EQ(report.left_out(), 1);
    EXPECT_TRUE(contains(only_note(report), words)) << only_note(report);
    EXPECT_EQ(report.notes()[0].line, 3);
  }
}

TEST(Report, a_row_that_contradicts_itself_is_left_out) {
  const std::string name = "matmul/serial:0/f32/resident/n:128";
  const struct {
    Column column;
    std::string value, said;
  } changes[] = {
      {Column::median_ns, "NA", "is no time"},
      {Column::median_ns, "0", "is no time"},
      {Column::median_ns, "1e300", "is longer than any run"},
      {Column::median_low_ns, "-1", "is negative"},
      {Column::median_low_ns, "0", "is no time"},
      {Column::median_low_ns, "1e9", "is below median_low_ns"},
      {Column::median_high_ns, "1", "is below median_ns"},
      {Column::min_ns, "1e9", "is below min_ns"},
      {Column::p25_ns, "1e9", "is below p25_ns"},
      {Column::samples_ns, "5 6;7", "has another median than median_ns"},
      {Column::samples_ns, "5 -6;7", "holds a sample that is no time"},
      {Column::samples_ns, "5 x;7", "is no list of samples"},
      {Column::flops_per_s, "1e15", "is not flops / median_ns"},
      {Column::bytes_per_s, "1e300", "is faster than anything"},
      {Column::ceiling, "0", "bounds nothing"},
      {Column::ceiling_share, "1e6", "is no share of a ceiling"},
      {Column::ceiling_share, "-0.5", "is negative"},
      {Column::verify_error, "1.5", "is above verify_tolerance"},
      {Column::n_visits, "-6", "is negative"},
      {Column::name, "matmul/blas:0/f32/resident/n:128", "is not the name of its key, " + name},
      {Column::device, "blas:0", "is not the name of its key, matmul/blas:0/"},
      {Column::name, std::string(100'000, 'a'), "has 100000 characters"},
  };
  for (const auto& change : changes) {
    auto rows = synthetic_rows(three_rows());
    rows[1].set(change.column, change.value);
    const auto report = parse(csv(rows));
    EXPECT_EQ(report.size(), 2) << change.said;
    EXPECT_EQ(report.left_out(), 1) << change.said;
    ASSERT_EQ(report.notes().size(), 1) << change.said;
    EXPECT_EQ(report.notes()[0].line, 3);
    EXPECT_TRUE(report.notes()[0].text.starts_with("column ")) << only_note(report);
    EXPECT_TRUE(contains(only_note(report), change.said)) << only_note(report);
  }
}

TEST(Report, a_row_without_a_time_need_not_have_sound_ones) {
  auto rows = synthetic_rows(three_rows());
  rows[1].set(Column::status, Status::wrong);
  rows[1].set(Column::median_ns, "NA");
  rows[1].set(Column::verify_error, 7);
  EXPECT_EQ(parse(csv(rows)).size(), 3);
}

TEST(Report, nothing_grows_beyond_what_is_written) {
  const auto whole = synthetic_report(three_rows());
  EXPECT_TRUE(contains(refusal(replaced(header_line(), "\n", std::string(1'000'000, ',') + "\n")),
                       "columns; the most are"));
  const auto long_text = std::string(2 << 20, 'a');
  EXPECT_TRUE(contains(only_note(parse(replaced(whole, "alpha", long_text))), "text is longer"));
  EXPECT_TRUE(
      contains(only_note(parse(replaced(whole, "alpha", '"' + std::string(65 << 20, 'a') + '"'))),
               "line is longer"));
}

TEST(Report, more_devices_than_can_be_compared_are_left_out) {
  std::string text = header_line();
  for (int i = 0; i < 1500; ++i) {
    SyntheticRun run;
    run.backend = "b" + std::to_string(i);
    run.sizes = {64};
    run.rounds = 1;
    text += csv_line(synthetic_rows(run)[0]);
  }
  const auto report = parse(text);
  EXPECT_EQ(report.size(), 1024);
  EXPECT_EQ(report.left_out(), 1500 - 1024);
  EXPECT_TRUE(contains(report.notes()[0].text, "'b1024' is one of more than 1024 different ones"));
}

TEST(Report, what_becomes_of_the_file_changes_nothing) {
  const auto path = testing::TempDir() + "/shrinks_" + std::to_string(getpid()) + ".csv";
  SyntheticRun run;
  run.rounds = 200;
  std::ofstream(path) << synthetic_report(run);
  const auto report = Report::read(path);
  std::filesystem::resize_file(path, 0);
  EXPECT_EQ(report.size(), 600);
  EXPECT_EQ(report.row(599).status(), Status::ok);
  std::filesystem::remove(path);
}

TEST(Report, a_number_that_is_none_is_noted_and_read_as_unknown) {
  auto run = three_rows();
  run.sizes = {64};
  const auto whole = synthetic_report(run);
  const auto report = parse(replaced(whole, ",precision,0,", ",precision,nan,"));
  EXPECT_EQ(report.size(), 1);
  EXPECT_EQ(only_note(report), "column disturbed: 'nan' is not an integer; read as NA");
  EXPECT_EQ(report.row(0).integer(Column::disturbed), std::nullopt);
  EXPECT_TRUE(contains(
      only_note(parse(
          replaced(whole, ",flop/s,", ",flop/s,").replace(whole.find(",0.125,"), 7, ",inf,"))),
      "verify_error: 'inf' is not a finite number"));
}

TEST(Report, newer_rows_are_left_out_and_a_newer_report_is_refused) {
  const auto whole = synthetic_report(three_rows());
  const auto report = parse(replaced(whole, "\n2,run-1", "\n3,run-1"));
  EXPECT_EQ(report.size(), 2);
  EXPECT_TRUE(contains(only_note(report), "update Breakeven"));
  auto run = three_rows();
  run.change = [](Row& row) { row.set(Column::schema_version, 3); };
  EXPECT_TRUE(contains(refusal(synthetic_report(run)), "newer Breakeven"));
}

TEST(Report, columns_that_are_missing_or_foreign_are_noted) {
  const auto report = parse(
      "schema_version,name,status,median_ns,case,backend,device,type,math,"
      "mode,m,n,k,batch,count,bytes,memory,direction,cache,devices,feeders,"
      "mine\n1,matmul/serial:0/f32/resident/"
      "n:1,ok,5,matmul,serial,serial:0,f32,native,resident,1,1,1,NA,"
      "NA,NA,NA,NA,hot,1,1,hello\n");
  ASSERT_EQ(report.size(), 1);
  ASSERT_EQ(report.notes().size(), 2);
  EXPECT_TRUE(contains(report.notes()[0].text, "missing"));
  EXPECT_TRUE(contains(report.notes()[1].text, "mine"));
  EXPECT_EQ(report.row(0).text(Column::cpu_model), "NA");
  EXPECT_EQ(report.row(0).real(Column::median_ns), 5);
}

TEST(Report, the_same_row_twice_counts_once) {
  const auto whole = synthetic_report(three_rows());
  const auto rows = whole.substr(header_line().size());
  const auto report = parse(whole + rows);
  EXPECT_EQ(report.size(), 3);
  EXPECT_EQ(report.left_out(), 3);
  EXPECT_TRUE(contains(report.notes()[0].text, "the same case, run and round as line 2"));
}

TEST(Report, probes_of_a_search_may_repeat) {
  auto run = three_rows();
  run.change = [](Row& row) { row.set(Column::mode, "find"); };
  const auto whole = synthetic_report(run);
  EXPECT_EQ(parse(whole + whole.substr(header_line().size())).size(), 6);
}

TEST(Report, machines_in_one_file_are_noted) {
  auto run = three_rows();
  const auto first = synthetic_report(run);
  run.machine = "beta";
  run.run_id = "run-2";
  const auto report = parse(first + synthetic_report(run).substr(header_line().size()));
  EXPECT_EQ(report.size(), 6);
  EXPECT_EQ(only_note(report), "rows of several machines: alpha, beta; kept apart");
}

TEST(Report, what_a_spreadsheet_or_pandas_wrote_is_read) {
  auto whole = synthetic_report(three_rows());
  for (std::size_t at = 0; (at = whole.find('\n', at)) != whole.npos; at += 2) {
    whole.replace(at, 1, "\r\n");
  }
  for (std::size_t at = 0; (at = whole.find(",NA,", at)) != whole.npos;) {
    whole.replace(at, 4, ",,");
  }
  whole = replaced(whole, "resident,64,64,", "resident,64.0,\"64\",");
  const auto report = parse("\xEF\xBB\xBF" + whole);
  EXPECT_TRUE(report.notes().empty());
  ASSERT_EQ(report.size(), 3);
  EXPECT_FALSE(report.row(0).is_known(Column::reason));
  EXPECT_EQ(report.row(0).text(Column::m), "64");
  EXPECT_EQ(report.row(0).text(Column::n), "64");
}

TEST(Report, zero_bytes_and_bad_utf8_are_noted) {
  const auto whole = synthetic_report(three_rows());
  EXPECT_TRUE(contains(only_note(parse(replaced(whole, "run-1", std::string(5, '\0')))), "zero"));
  const auto report = parse(replaced(whole, "alpha", "alph\xFF"));
  EXPECT_TRUE(contains(report.notes()[0].text, "UTF-8"));
  EXPECT_EQ(report.size(), 3);
}

TEST(Report, many_notes_of_a_sort_are_counted_not_listed) {
  std::string text = header_line();
  for (int i = 0; i < 100; ++i) {
    text += "x\n";
  }
  const auto report = parse(text);
  EXPECT_EQ(report.left_out(), 100);
  ASSERT_EQ(report.notes().size(), 6);
  EXPECT_EQ(report.notes()[5].text, "95 more like this: number of fields");
}

TEST(Report, no_cell_can_steer_a_terminal) {
  const auto whole = synthetic_report(three_rows());
  const auto report = parse(replaced(whole, "n:128,ok", "n:128,\x1b[31m"));
  EXPECT_EQ(only_note(report).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace breakeven
