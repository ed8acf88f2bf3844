// SPDX-License-Identifier: Apache-2.0
// The report as one page that needs nothing else: no network, no file beside it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/answers/answers.hpp"
#include "reports/charts/chart.hpp"
#include "reports/html/remarks.hpp"
#include "reports/reader/report.hpp"

namespace breakeven {

struct PageContent {
  std::span<const Report> reports;
  std::vector<std::vector<Answer>> answers;  // by report
  std::vector<Remark> remarks;
  std::vector<drawing::Chart> charts;
};

std::string page_of(const PageContent& content);

// Parts of the page.
std::string machines_table(std::span<const Report> reports);
std::string rows_table(std::span<const Report> reports);

// `breakeven run … --filter '^NAME$'`: measures the row again.
std::string reproducing_command(const RowView& row);

}  // namespace breakeven
