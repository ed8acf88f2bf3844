// SPDX-License-Identifier: Apache-2.0
// The report as one page that needs nothing else: no network, no file beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "reports/answers/answers.hpp"
#include "reports/answers/headline.hpp"
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

// One file with the style of all pages; `after` is what follows the body, such as scripts.
std::string page_around(const std::string& title, const std::string& body,
                        const std::string& after = {});

// Parts of the page.
std::string first_screen(const PageContent& content, std::set<const drawing::Chart*>& used);
std::string fleet_screen(std::span<const Report> reports);  // and the table below
std::string facts_list(const Headline& headline, const Report& report, std::size_t index);
std::string trust_strip(const std::vector<Trust>& trust, const std::string& machine);
std::string matrices(std::span<const Report> reports);
std::string machines_table(std::span<const Report> reports);
std::string rows_table(std::span<const Report> reports);
std::string fleet_table(std::span<const Report> reports);

// A chart in a frame; a wide one has a second drawing for narrow screens and paper, and a bare one
// stands below words that name it.
enum class Frame : std::uint8_t { plain, wide, bare };
std::string figure(const drawing::Chart& chart, Frame frame = Frame::plain);

// Text that links to the first of the rows it stands on.
std::string linked(const std::string& text, const std::vector<std::size_t>& rows,
                   const Report& report, std::size_t index);

// More rows or machines than this are told by case, not one by one: a page must open, and be read.
inline constexpr std::size_t most_rows = 20'000, most_machines = 8;
bool is_fleet(std::span<const Report> reports);

// `breakeven run … --filter '^NAME$'`: measures the row again.
std::string reproducing_command(const RowView& row);

}  // namespace breakeven
