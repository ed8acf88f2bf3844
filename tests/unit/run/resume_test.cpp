// SPDX-License-Identifier: Apache-2.0
#include "suite/run/resume.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "reports/reader/row_rules.hpp"
#include "suite/run/report_file.hpp"

namespace breakeven {
namespace {

struct Left {
  Status status;
  std::string reason, stop = {};
};

const Left measured{Status::ok, ""};
const Left not_come_to{Status::over_budget, "no time was left", "budget"};
const Left too_long{Status::over_budget, "one repetition takes longer than the budget of a case"};
const Left set_aside{Status::abandoned, "its backend crashed three times"};

// How many rows of such a report are complete, and from which line on it is measured again.
std::pair<std::size_t, std::size_t> resumed(const std::vector<Left>& rows) {
  const std::string path = testing::TempDir() + "/resume_" + std::to_string(getpid()) + ".csv";
  std::filesystem::remove(path);
  {
    ReportFile file(path, ReportFile::Open::create);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Row row;
      row.set(Column::n, i + 1);
      row.set(Column::name, name_of_key([&](Column c) { return std::string_view(row.text(c)); }));
      row.set(Column::round, 1);
      row.set(Column::status, name(rows[i].status));
      if (rows[i].status == Status::ok) {
        row.set(Column::median_ns, 100);
        row.set(Column::samples_ns, "100;100;100");
      } else {
        row.set(Column::reason, rows[i].reason);
        row.set(Column::stop_reason, rows[i].stop);
      }
      file.append({row});
    }
  }
  const EarlierPart earlier = read_earlier_part(path, Row(), true);
  std::filesystem::remove(path);
  return {earlier.complete.size(), earlier.unmeasured_from_line};
}

using Kept = std::pair<std::size_t, std::size_t>;

TEST(Resume, KeepsEveryRowOfARunWithoutABudget) {
  EXPECT_EQ(resumed({measured, too_long, set_aside}), Kept(3, 0));
}

TEST(Resume, MeasuresWhatTheBudgetLeft) {
  EXPECT_EQ(resumed({measured, too_long, not_come_to, not_come_to}), Kept(2, 4));
}

TEST(Resume, LooksPastRowsThatCostNoTime) {
  EXPECT_EQ(resumed({measured, not_come_to, set_aside, not_come_to, set_aside}), Kept(1, 3));
}

TEST(Resume, DropsNothingThatWasMeasured) {
  EXPECT_EQ(resumed({not_come_to, measured, not_come_to}), Kept(2, 4));
}

}  // namespace
}  // namespace breakeven
