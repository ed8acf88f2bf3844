// SPDX-License-Identifier: Apache-2.0
// The real reports that the project keeps must stay readable, comparable and drawable.
#include <gtest/gtest.h>

#include <filesystem>

#include "reports/compare/comparison.hpp"
#include "reports/html/page.hpp"
#include "reports/reader/report.hpp"

namespace breakeven {
namespace {

std::vector<std::filesystem::path> examples() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(BREAKEVEN_SOURCE_DIR "/reports/examples")) {
    if (entry.path().extension() == ".csv") {
      files.push_back(entry.path());
    }
  }
  return files;
}

TEST(Examples, are_read_whole) {
  ASSERT_FALSE(examples().empty());
  for (const auto& file : examples()) {
    const auto report = Report::read(file);
    EXPECT_GT(report.size(), 0) << file;
    EXPECT_EQ(report.left_out(), 0) << file;
    for (std::size_t i = 0; i < report.size(); ++i) {
      if (report.row(i).status() == Status::ok) {
        EXPECT_TRUE(report.row(i).samples(Column::samples_ns)) << file << ":" << i;
      }
    }
  }
}

TEST(Examples, make_pages_with_every_row) {
  for (const auto& file : examples()) {
    std::vector<Report> reports;
    reports.push_back(Report::read(file));
    const auto text =
        page_of({reports, {answers(reports[0])}, remarks_of(reports), drawing::charts_of(reports)});
    for (std::size_t i = 0; i < reports[0].size(); ++i) {
      EXPECT_NE(text.find("<tr id=\"" + drawing::id_of(0, reports[0].row(i)) + "\""), text.npos);
    }
  }
}

TEST(Examples, show_no_regression_against_themselves) {
  for (const auto& file : examples()) {
    std::vector<Report> reports;
    reports.push_back(Report::read(file));
    reports.push_back(Report::read(file.parent_path() / "." / file.filename()));
    const auto grouped =
        comparison::group_rows(reports, "file", [](std::string_view) { return true; });
    for (const auto& result : comparison::compare(grouped, {}).cases) {
      EXPECT_NE(result.verdict, comparison::Verdict::regressed) << file;
      EXPECT_NE(result.verdict, comparison::Verdict::improved) << file;
    }
  }
}

}  // namespace
}  // namespace breakeven
