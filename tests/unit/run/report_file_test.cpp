// SPDX-License-Identifier: Apache-2.0
#include "suite/run/report_file.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "suite/run/text.hpp"

namespace breakeven {
namespace {

class ReportFileTest : public testing::Test {
 protected:
  // The tests may run at the same time, each in a process of its own.
  ReportFileTest()
      : path_(testing::TempDir() + "/report_file_" + std::to_string(getpid()) + ".csv") {
    std::filesystem::remove(path_);
  }
  ~ReportFileTest() override { std::filesystem::remove(path_); }

  std::string text() const {
    std::ostringstream all;
    all << std::ifstream(path_).rdbuf();
    return all.str();
  }
  static Row row(int n) {
    Row row;
    row.set(Column::n, n);
    return row;
  }

  std::string path_;
};

TEST_F(ReportFileTest, HoldsTheHeaderBeforeAnyRow) {
  const ReportFile file(path_, ReportFile::Open::create);
  EXPECT_EQ(text(), header_line());
}

TEST_F(ReportFileTest, IsNotCreatedOverAnother) {
  std::ofstream(path_) << "precious";
  EXPECT_THROW(ReportFile(path_, ReportFile::Open::create), Unusable);
  EXPECT_EQ(text(), "precious");
}

TEST_F(ReportFileTest, IsNotSharedByTwoRuns) {
  const ReportFile file(path_, ReportFile::Open::create);
  EXPECT_THROW(ReportFile(path_, ReportFile::Open::resume), Unusable);
}

TEST_F(ReportFileTest, ResumesAfterTheLastWholeLine) {
  { ReportFile(path_, ReportFile::Open::create).append({row(1)}); }
  const std::string whole = text();
  { std::ofstream(path_, std::ios::app) << "1,torn,li"; }
  ReportFile(path_, ReportFile::Open::resume).append({row(2)});
  EXPECT_EQ(text(), whole + csv_line(row(2)));
}

TEST_F(ReportFileTest, ResumesWhereNotEvenTheHeaderIsWhole) {
  for (const std::string& left : {std::string(), header_line().substr(0, 20)}) {
    std::ofstream(path_) << left;
    ReportFile(path_, ReportFile::Open::resume).append({row(1)});
    EXPECT_EQ(text(), header_line() + csv_line(row(1)));
  }
}

TEST_F(ReportFileTest, DropsItsEndFromALineOn) {
  for (const std::size_t line : {2, 3, 4, 5, 6}) {
    std::filesystem::remove(path_);
    ReportFile file(path_, ReportFile::Open::create);
    file.append({row(1), row(2), row(3)});
    file.drop_from_line(line);
    file.append({row(9)});
    std::string expected = header_line();
    for (int kept = 1; kept <= 3 && static_cast<std::size_t>(kept) + 2 <= line; ++kept)
      expected += csv_line(row(kept));
    EXPECT_EQ(text(), expected + csv_line(row(9))) << line;
  }
}

TEST_F(ReportFileTest, LeavesAFileThatIsNoReportAsItIs) {
  for (const std::string& precious :
       {std::string("a text\nwithout a last line end"), "other," + header_line() + "1,torn"}) {
    std::ofstream(path_) << precious;
    EXPECT_THROW(ReportFile(path_, ReportFile::Open::resume), Unusable);
    EXPECT_EQ(text(), precious);
  }
}

// Its end is the middle of a row: the disk takes a part of what is written.
TEST_F(ReportFileTest, HoldsWholeRowsWhereTheDiskIsFull) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit unlimited{};
  getrlimit(RLIMIT_FSIZE, &unlimited);
  ReportFile file(path_, ReportFile::Open::create);
  file.append({row(1)});
  const std::string whole = text();
  const rlimit full{whole.size() + 10, unlimited.rlim_max};
  setrlimit(RLIMIT_FSIZE, &full);
  EXPECT_THROW(file.append({row(2)}), std::runtime_error);
  setrlimit(RLIMIT_FSIZE, &unlimited);
  EXPECT_EQ(text(), whole);
  file.append({row(2)});
  EXPECT_EQ(text(), whole + csv_line(row(2)));
}

TEST_F(ReportFileTest, NoticesThatItWasDeleted) {
  ReportFile file(path_, ReportFile::Open::create);
  std::filesystem::remove(path_);
  EXPECT_THROW(file.append({row(1)}), std::runtime_error);
}

TEST_F(ReportFileTest, NoticesThatAnotherProgramChangedIt) {
  for (const bool cut_off : {true, false}) {
    std::filesystem::remove(path_);
    ReportFile file(path_, ReportFile::Open::create);
    file.append({row(1)});
    if (cut_off)
      std::filesystem::resize_file(path_, 0);
    else
      std::ofstream(path_, std::ios::app) << "foreign\n";
    const std::string left = text();
    EXPECT_THROW(file.append({row(2)}), std::runtime_error);
    EXPECT_EQ(text(), left);
  }
}

TEST_F(ReportFileTest, GoesOnAfterItsEndWasDropped) {
  ReportFile file(path_, ReportFile::Open::create);
  file.append({row(1), row(2)});
  file.drop_from_line(3);
  file.append({row(3)});
  EXPECT_EQ(text(), header_line() + csv_line(row(1)) + csv_line(row(3)));
}

}  // namespace
}  // namespace breakeven
