// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/stored_sweep.hpp"

#include <gtest/gtest.h>

#include "reports/reader/row_rules.hpp"
#include "reports/schema/samples.hpp"

namespace breakeven {
namespace {

// Rows of square products as the suite writes them.
class ReportText {
 public:
  Row row(const std::string& backend, std::size_t n, double median_ns, double half_width = 0.005) {
    Row row;
    row.set(Column::run_id, "r1");
    row.set(Column::round, ++lines_);
    row.set(Column::machine, "toy");
    row.set(Column::status, Status::ok);
    row.set(Column::case_name, "matmul");
    row.set(Column::backend, backend);
    row.set(Column::device, backend + ":0");
    row.set(Column::type, "f32");
    row.set(Column::mode, "resident");
    row.set(Column::m, n);
    row.set(Column::n, n);
    row.set(Column::k, n);
    row.set(Column::median_ns, median_ns);
    row.set(Column::median_low_ns, median_ns * (1 - half_width));
    row.set(Column::median_high_ns, median_ns * (1 + half_width));
    row.set(Column::flops, 2.0 * static_cast<double>(n * n * n));
    row.set(Column::work_bytes, 12.0 * static_cast<double>(n * n));
    return row;
  }
  void add(Row row) {
    row.set(Column::name,
            name_of_key([&](Column column) { return std::string_view(row.text(column)); }));
    text_ += csv_line(row);
  }
  void add(const std::string& backend, std::size_t n, double median_ns, double half_width = 0.005) {
    add(row(backend, n, median_ns, half_width));
  }
  Report report() const { return Report::parse(text_, "toy.csv"); }

 private:
  std::string text_ = header_line();
  int lines_ = 0;
};

SweepQuery query(const std::string& from = "", const std::string& to = "") {
  return {.case_name = "matmul", .from = {from, ""}, .to = {to, ""}};
}

TEST(StoredSweep, the_bracket_is_between_the_stored_sizes) {
  ReportText text;
  for (const std::size_t n : {16, 64, 256, 1024}) {
    text.add("slow", n, 10.0 * static_cast<double>(n));
    text.add("late", n, 1000.0 + 5.0 * static_cast<double>(n));
  }
  const Report report = text.report();
  const auto sweeps = stored_sweeps(report, query("slow", "late"));
  ASSERT_EQ(sweeps.size(), 1u);
  EXPECT_EQ(sweeps[0].finding.kind, Finding::Kind::bracket);
  EXPECT_EQ(sweeps[0].finding.low(), 64u);
  EXPECT_EQ(sweeps[0].finding.high(), 256u);
  EXPECT_EQ(sweeps[0].names.axis, "n");
  EXPECT_EQ(sweeps[0].names.from, "slow:0");
  EXPECT_EQ(sweeps[0].common, "m=n k=n");
  EXPECT_EQ(sweeps[0].from_rows[1], std::vector<std::size_t>{2});
  EXPECT_EQ(sweeps[0].to_rows[1], std::vector<std::size_t>{3});
}

TEST(StoredSweep, overlapping_intervals_leave_a_size_open) {
  ReportText text;
  text.add("a", 16, 100);
  text.add("b", 16, 150);
  text.add("a", 64, 200, 0.10);
  text.add("b", 64, 190, 0.10);
  text.add("a", 256, 400);
  text.add("b", 256, 300);
  const Report report = text.report();
  const auto sweeps = stored_sweeps(report, query("a", "b"));
  ASSERT_EQ(sweeps.size(), 1u);
  EXPECT_EQ(sweeps[0].finding.low(), 16u);
  EXPECT_EQ(sweeps[0].finding.high(), 256u);
  EXPECT_EQ(sweeps[0].finding.probes[1].reason, "the stored intervals overlap");
}

TEST(StoredSweep, from_three_rounds_on_processes_are_what_counts) {
  ReportText text;
  for (const double wobble : {1.0, 1.2, 0.8}) {
    for (const std::size_t n : {16, 64}) {
      text.add("a", n, 100 * wobble, 0.001);
      text.add("b", n, 110 * (2 - wobble), 0.001);
    }
  }
  const Report report = text.report();
  const auto sweeps = stored_sweeps(report, query("a", "b"));
  ASSERT_EQ(sweeps.size(), 1u);
  EXPECT_EQ(sweeps[0].finding.kind, Finding::Kind::undecided);
}

TEST(StoredSweep, without_names_every_pair_is_compared_once) {
  ReportText text;
  for (const std::size_t n : {16, 64}) {
    text.add("a", n, 100);
    text.add("b", n, 200);
    text.add("c", n, 300);
  }
  const Report report = text.report();
  EXPECT_EQ(stored_sweeps(report, query()).size(), 3u);
  EXPECT_EQ(stored_sweeps(report, query("c")).size(), 2u);
  EXPECT_EQ(stored_sweeps(report, query("c"))[0].names.to, "a:0");
}

TEST(StoredSweep, rows_that_failed_or_differ_in_anything_else_are_not_mixed_in) {
  ReportText text;
  for (const std::size_t n : {16, 64}) {
    text.add("a", n, 100);
    Row other_type = text.row("b", n, 50);
    other_type.set(Column::type, "f64");
    text.add(other_type);
    Row wrong = text.row("c", n, 10);
    wrong.set(Column::status, Status::wrong);
    text.add(wrong);
    Row cold = text.row("d", n, 500);
    cold.set(Column::cache, "cold");
    text.add(cold);
    Row elsewhere = text.row("e", n, 500);
    elsewhere.set(Column::machine, "other");
    text.add(elsewhere);
  }
  const Report report = text.report();
  EXPECT_TRUE(stored_sweeps(report, query()).empty());
}

TEST(StoredSweep, modes_of_one_device_are_sides_too) {
  ReportText text;
  for (const std::size_t n : {16, 64}) {
    text.add("a", n, 100);
    Row copies = text.row("a", n, n == 16 ? 50 : 200);
    copies.set(Column::mode, "offload-always");
    text.add(copies);
  }
  const Report report = text.report();
  const auto sweeps = stored_sweeps(report, query());
  ASSERT_EQ(sweeps.size(), 1u);
  EXPECT_EQ(sweeps[0].names.from, "resident");
  EXPECT_EQ(sweeps[0].names.to, "offload-always");
  EXPECT_EQ(sweeps[0].finding.changes.front().below, Faster::to);
}

TEST(StoredSweep, memories_are_sides_and_a_mode_without_one_pairs_with_any) {
  ReportText text;
  for (const std::size_t n : {16, 64}) {
    text.add("a", n, 100);
    for (const char* memory : {"pageable", "pinned"}) {
      Row copies = text.row("a", n, memory[1] == 'a' ? 300 : 200);
      copies.set(Column::mode, "offload-always");
      copies.set(Column::memory, memory);
      text.add(copies);
    }
  }
  const Report report = text.report();
  EXPECT_EQ(stored_sweeps(report, query()).size(), 3u);
  SweepQuery pinned = query();
  pinned.from.memory = "pinned";
  pinned.to.memory = "pageable";
  const auto sweeps = stored_sweeps(report, pinned);
  ASSERT_EQ(sweeps.size(), 1u);
  EXPECT_EQ(sweeps[0].names.from, "pinned");
}

// A visit of a search: eight blocks a side, `ratio` apart, with a drift that both share.
void add_visit(ReportText& text, std::size_t n, int visit, double ratio, const std::string& faster,
               const std::string& run = "r1") {
  for (const bool is_to : {false, true}) {
    Visits blocks;
    for (int i = 0; i < 8; ++i) {
      const double drift = 100 * (1 + 0.1 * i);
      blocks.push_back({is_to ? drift * ratio : drift});
    }
    Row row = text.row(is_to ? "b" : "a", n, is_to ? 135 * ratio : 135, 0.2);
    row.set(Column::run_id, run);
    row.set(Column::mode, "find");
    row.set(Column::samples_ns, format_samples(blocks));
    Pairs details{{"mode", "resident"},
                  {"side", is_to ? "to" : "from"},
                  {"duel", "a:0/resident|b:0/resident"},
                  {"visit", std::to_string(visit)}};
    if (!faster.empty()) {
      details.emplace_back("faster", faster);
    }
    row.set(Column::details, format_pairs(details));
    text.add(row);
  }
}

TEST(StoredSweep, blocks_of_a_search_are_paired) {
  ReportText text;
  add_visit(text, 16, 1, 1.02, "");
  add_visit(text, 64, 1, 0.98, "");
  const Report report = text.report();
  const auto sweeps = stored_sweeps(report, query());
  ASSERT_EQ(sweeps.size(), 1u);
  EXPECT_EQ(sweeps[0].finding.kind, Finding::Kind::bracket);
  EXPECT_EQ(sweeps[0].mode, "resident");
}

TEST(StoredSweep, what_the_search_found_is_not_decided_anew) {
  ReportText text;
  add_visit(text, 16, 1, 1.02, "from");
  add_visit(text, 64, 1, 0.98, "undecided");
  add_visit(text, 256, 1, 0.9, "to");
  add_visit(text, 256, 2, 0.9, "neither");
  const Report report = text.report();
  const auto sweeps = stored_sweeps(report, query());
  ASSERT_EQ(sweeps.size(), 1u);
  EXPECT_EQ(sweeps[0].finding.kind, Finding::Kind::none);
  EXPECT_EQ(sweeps[0].finding.probes[1].reason, "the budget ended");
  EXPECT_EQ(sweeps[0].finding.probes[2].reason, "two visits disagree");
}

TEST(StoredSweep, searches_stay_apart_from_runs_and_from_one_another) {
  ReportText text;
  for (const std::size_t n : {16, 64}) {
    text.add("a", n, 100);
    add_visit(text, n, 1, 1.02, "from", "r2");
    add_visit(text, n, 1, 0.98, "to", "r3");
  }
  const Report report = text.report();
  const auto sweeps = stored_sweeps(report, query());
  ASSERT_EQ(sweeps.size(), 2u);
  EXPECT_EQ(sweeps[0].finding.winner, Faster::from);
  EXPECT_EQ(sweeps[1].finding.winner, Faster::to);
}

TEST(StoredSweep, a_search_over_another_size_keeps_its_axis_beside_a_run) {
  ReportText text;
  for (const std::size_t n : {16, 64}) {
    text.add("a", n, 100);
    text.add("b", n, 200);
  }
  for (const std::size_t count : {1, 10}) {
    for (const std::string backend : {"a", "b"}) {
      Row row = text.row(backend, 16, 1, 0.2);
      row.set(Column::mode, "find");
      row.set(Column::count, count);
      row.set(Column::samples_ns, "1;1;1;1;1;1;1;1");
      row.set(Column::details, format_pairs(Pairs{{"mode", "log-once"}, {"duel", "a|b"}}));
      text.add(row);
    }
  }
  const Report report = text.report();
  const auto sweeps = stored_sweeps(report, query());
  ASSERT_EQ(sweeps.size(), 2u);
  EXPECT_EQ(sweeps[0].names.axis, "n");
  EXPECT_EQ(sweeps[1].names.axis, "count");
  EXPECT_EQ(sweeps[1].finding.probes.size(), 2u);
}

TEST(StoredSweep, nothing_that_varies_is_no_sweep) {
  ReportText text;
  text.add("a", 16, 100);
  text.add("b", 16, 200);
  const Report report = text.report();
  EXPECT_TRUE(stored_sweeps(report, query()).empty());
}

}  // namespace
}  // namespace breakeven
