// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "reports/history/formats.hpp"
#include "tests/unit/reports/synthetic_report.hpp"

namespace breakeven::history {
namespace {

namespace fs = std::filesystem;

class HistoryTest : public testing::Test {
 protected:
  HistoryTest()
      : path_(testing::TempDir() + "/history_" + std::to_string(getpid()) + "_" +
              testing::UnitTest::GetInstance()->current_test_info()->name() + ".db") {
    fs::remove(path_);
  }
  ~HistoryTest() override { fs::remove(path_); }

  using Change = std::function<void(int, Row&)>;

  // A run a day.
  static std::vector<Row> nightly(int day, const Change& change, const std::string& machine) {
    SyntheticRun run;
    run.machine = machine;
    run.run_id = "run-" + std::to_string(day);
    run.sizes = {64, 128};
    run.rounds = 3;
    run.seed = static_cast<std::uint64_t>(day) + machine.size();
    run.change = [&](Row& row) {
      const std::string number = std::to_string(day % 28 + 1), month = std::to_string(day / 28 + 1);
      row.set(Column::utc,
              "2026-0" + month + "-" + (number.size() < 2 ? "0" : "") + number + "T02:00:00Z");
      row.set(Column::suite_commit, "commit-" + std::to_string(day / 2));
      change(day, row);
    };
    return synthetic_rows(run);
  }

  void keep(
      int days, const Change& change = [](int, Row&) {}, const std::string& machine = "alpha") {
    Store store(path_, Store::Open::create);
    for (int day = 0; day < days; ++day) {
      store.add(nightly(day, change, machine));
    }
  }

  History history(const Wanted& wanted = {}) const {
    return read(Store(path_, Store::Open::read), wanted);
  }

  std::string path_;
};

void slow_down(Row& row, double factor) {
  row.set(Column::median_ns, *row.real(Column::median_ns) * factor);
}

void update_library_on_day_20(int day, Row& row) {
  row.set(Column::libraries, day < 20 ? "openblas=0.3.21" : "openblas=0.3.26");
  if (day >= 20 && row.text(Column::n) == "128") {
    slow_down(row, 1.1);
  }
}

TEST_F(HistoryTest, names_the_first_run_after_a_change_and_what_changed_there) {
  keep(40, update_library_on_day_20);
  const auto all = history();
  EXPECT_EQ(all.runs, 40U);
  const auto findings = changes(all, {});
  ASSERT_EQ(findings.steps.size(), 1U);
  ASSERT_EQ(findings.steps[0].changes.size(), 1U);
  const auto& change = findings.steps[0].changes[0];
  EXPECT_TRUE(change.is_slower());
  EXPECT_TRUE(findings.is_worse());
  EXPECT_EQ(all.series[change.series].name, "matmul/serial:0/f32/resident/n:128");
  EXPECT_EQ(all.series[change.series].points[change.first].run_id, "run-20");
  EXPECT_NEAR(change.effect.ratio, 1.1, 0.01);
  EXPECT_LE(change.effect.low, 1.1);
  EXPECT_GE(change.effect.high, 1.1);
  const auto text = as_text(all, findings, {}, Lines(200), false);
  EXPECT_NE(text.find("1 case slower on alpha from 2026-01-21T02:00:00Z on"), text.npos) << text;
  EXPECT_NE(text.find("changed there: libraries openblas: 0.3.21 -> 0.3.26"), text.npos) << text;
  EXPECT_NE(text.find("changed there: suite_commit: commit-9 -> commit-10"), text.npos) << text;
}

TEST_F(HistoryTest, of_nothing_that_changed_says_so) {
  keep(40);
  const auto all = history();
  const auto findings = changes(all, {});
  EXPECT_TRUE(findings.steps.empty());
  EXPECT_FALSE(findings.is_worse());
  EXPECT_NE(as_text(all, findings, {}, Lines(200), false).find("No case changed."),
            std::string::npos);
}

TEST_F(HistoryTest, of_what_became_faster_is_not_worse) {
  keep(40, [](int day, Row& row) { slow_down(row, day < 20 ? 1.2 : 1); });
  const auto findings = changes(history(), {});
  ASSERT_EQ(findings.steps.size(), 1U);
  EXPECT_EQ(findings.steps[0].changes.size(), 2U);
  EXPECT_FALSE(findings.is_worse());
}

TEST_F(HistoryTest, since_a_day_tells_later_changes_only) {
  keep(40, update_library_on_day_20);
  const auto all = history();
  EXPECT_EQ(changes(all, {least_change, "2026-01-21"}).steps.size(), 1U);
  EXPECT_FALSE(changes(all, {least_change, "2026-01-22"}).is_worse());
}

TEST_F(HistoryTest, tells_a_case_that_has_no_verified_result_any_more) {
  keep(12, [](int day, Row& row) {
    if (day >= 9 && row.text(Column::n) == "64") {
      row.set(Column::status, day == 10 ? Status::wrong : Status::crashed);
      row.set(Column::reason, day == 10 ? "off by one" : "signal 11");
    }
  });
  const auto all = history();
  const auto findings = changes(all, {});
  ASSERT_EQ(findings.losses.size(), 1U);
  EXPECT_TRUE(findings.is_worse());
  EXPECT_EQ(
      told(all, findings.losses[0]),
      "matmul/serial:0/f32/resident/n:64 crashed on alpha since 2026-01-10T02:00:00Z: signal 11");
}

TEST_F(HistoryTest, keeps_a_row_once) {
  const auto rows = nightly(
      1, [](int, Row&) {}, "alpha");
  Store store(path_, Store::Open::create);
  const std::vector<Row> first(rows.begin(), rows.begin() + 2);
  EXPECT_EQ(store.add(first), 2U);
  EXPECT_EQ(store.add(rows), rows.size() - 2);
  EXPECT_EQ(store.add(Report::parse(csv(rows), "again")), 0U);
  EXPECT_EQ(history().runs, 1U);
}

TEST_F(HistoryTest, keeps_machines_apart) {
  keep(10);
  keep(
      10, [](int, Row& row) { slow_down(row, 3); }, "gamma");
  EXPECT_EQ(history().machines, 2U);
  EXPECT_TRUE(changes(history(), {}).steps.empty());
  EXPECT_EQ(history({{}, {"gamma"}, {}, "run"}).series.size(), 2U);
}

TEST_F(HistoryTest, runs_of_one_commit_are_one_point_where_that_is_asked_for) {
  keep(20, [](int day, Row& row) {
    row.set(Column::labels, "branch=" + std::to_string(day / 5));
    row.set(Column::device_facts, day < 15 ? "driver=1.0" : "driver=2.0");
  });
  const auto points = [&](const char* over) {
    return history({{}, {}, {}, over}).series.at(0).points;
  };
  EXPECT_EQ(points("run").size(), 20U);
  EXPECT_EQ(points("date").size(), 20U);
  EXPECT_EQ(points("commit").size(), 10U);
  EXPECT_EQ(points("commit")[3].label, "commit-3");
  EXPECT_EQ(points("commit")[3].rounds, 6U);
  EXPECT_EQ(points("label:branch").size(), 4U);
  EXPECT_EQ(points("driver").size(), 2U);
  EXPECT_THROW(points("moon"), std::invalid_argument);
}

TEST_F(HistoryTest, shows_the_cases_that_are_asked_for) {
  keep(2);
  EXPECT_EQ(history({{"matmul"}, {}, {}, "run"}).series.size(), 2U);
  EXPECT_TRUE(history({{"transfer"}, {}, {}, "run"}).series.empty());
  EXPECT_EQ(history({{}, {}, "n:64$", "run"}).series.size(), 1U);
}

TEST_F(HistoryTest, other_files_are_refused_and_left_as_they_are) {
  EXPECT_THROW(Store(path_, Store::Open::read), std::runtime_error);
  std::ofstream(path_) << "schema_version,run_id\n" << std::string(5000, 'x');
  const auto size = fs::file_size(path_);
  EXPECT_THROW(Store(path_, Store::Open::create), std::runtime_error);
  EXPECT_EQ(fs::file_size(path_), size);
}

TEST_F(HistoryTest, for_programs_says_the_same) {
  keep(40, update_library_on_day_20);
  const auto all = history();
  const auto findings = changes(all, {});
  const auto json = nlohmann::json::parse(as_json(all, findings));
  EXPECT_EQ(json["exit_status"], 1);
  EXPECT_EQ(json["steps"][0]["changes"][0]["first_run"], "run-20");
  const auto csv = as_csv(all, findings);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 81);
  EXPECT_NE(csv.find("run-20,2026-01-21T02:00:00Z,run-20,ok,"), csv.npos);
}

TEST_F(HistoryTest, as_a_page_draws_every_case_and_links_to_what_changed) {
  keep(40, [](int day, Row& row) {
    update_library_on_day_20(day, row);
    row.set(Column::labels, "<script>=1");
  });
  const auto all = history();
  const auto page = as_page(all, changes(all, {}), {});
  EXPECT_NE(page.find("<a href=\"#case-1\">"), page.npos);
  EXPECT_NE(page.find("id=\"case-0\""), page.npos);
  EXPECT_NE(page.find("id=\"case-1\""), page.npos);
  EXPECT_EQ(page.find("<script>="), page.npos);
}

}  // namespace
}  // namespace breakeven::history
