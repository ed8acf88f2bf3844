// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/run_summary.hpp"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "reports/answers/answers.hpp"
#include "reports/answers/headline.hpp"
#include "reports/schema/severity.hpp"
#include "reports/text/lines.hpp"
#include "reports/text/quantity.hpp"
#include "reports/text/shell_word.hpp"
#include "reports/text/table.hpp"

#include "suite/command_line/variant_factors.hpp"

namespace breakeven {

namespace {

constexpr std::size_t most_told = 2;

bool went_wrong(const TableRow& row) {
  return is_fault(row.status);
}

// What the report says before anything else, and what it proposes to type next.
std::string answers_of(const std::string& path, bool colour, std::size_t width,
                       std::vector<std::string>& commands) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return "";
  try {
    const Report report = Report::read(path);
    if (report.size() == 0) return "";  // what others wrote there meanwhile
    const Headline headline = headline_of(report);
    const Lines lines(width);
    const auto paragraph = [&](const std::string& text) {
      return text.empty() ? "" : lines.wrapped(printable(text), 0) + '\n';
    };
    std::string text = coloured(paragraph(headline.title + "."), Colour::green, colour);
    text += paragraph(headline.ratio);
    std::size_t told = headline.ratio.empty() ? 0 : most_told;
    for (const Answer& answer : told < most_told ? answers(report) : std::vector<Answer>())
      if (answer.is_answered && told++ < most_told) text += paragraph(answer.text());
    commands = headline.facts.back().commands;
    commands.push_back(fmt::format("breakeven report {0} -o {0}.html", shell_word(path)));
    return text;
  } catch (const ReportError&) {  // what was measured is told all the same
    return "";
  }
}

}  // namespace

void RunSummary::keep(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    TableRow read(row);
    ++rows_;
    ok_ += read.status == Status::ok;
    wrong_ += went_wrong(read);
    not_reached_ += read.was_not_reached();
    command_ = row.text(Column::command);
    if (rows_ == longest_table + 1) {
      std::erase_if(kept_, [](const TableRow& kept) { return !went_wrong(kept); });
      kept_.shrink_to_fit();
    }
    if (kept_.size() < longest_table && (rows_ <= longest_table || went_wrong(read)))
      kept_.push_back(std::move(read));
  }
}

std::string RunSummary::text(const std::string& report, bool colour, std::size_t width) const {
  if (rows_ == 0) return "";
  const Lines lines(width);
  std::string text = kept_.empty() ? "" : run_table(kept_, colour, width) + '\n';
  if (rows_ > longest_table)
    text += lines.wrapped(
                fmt::format("{} rows are too many for a table here{}; `breakeven report {} -o "
                            "page.html` shows them",
                            rows_, kept_.empty() ? "" : ", so it has only what went wrong", report),
                0) +
            '\n';
  std::vector<std::string> commands;
  text += variant_factors(kept_);
  if (ok_ > 0 && rows_ <= longest_table) text += answers_of(report, colour, width, commands);
  text += run_cautions(kept_, colour, width) +
          lines.wrapped(fmt::format("{} of {} rows measured and verified; the report is {}", ok_,
                                    rows_, report),
                        0) +
          '\n';
  if (not_reached_ > 0 && report != "-")
    commands.insert(commands.begin(),
                    fmt::format("{} --resume --out {}", command_, shell_word(report)));
  for (const std::string& command : commands) text += lines.command(printable(command), 2) + '\n';
  return text;
}

}  // namespace breakeven
