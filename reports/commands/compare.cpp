// SPDX-License-Identifier: Apache-2.0
#include "reports/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>

#include "reports/compare/comparison.hpp"
#include "reports/compare/formats.hpp"
#include "reports/reader/read_all.hpp"
#include "reports/text/lines.hpp"
#include "reports/text/output.hpp"
#include "reports/text/pattern.hpp"
#include "reports/text/usage.hpp"

namespace breakeven {
namespace comparison {
namespace {

struct Arguments {
  std::vector<std::string> files;
  std::string base, filter, group_by = "file", format = "table";
  std::vector<std::string> expected;
  double margin_percent = 2;
  bool strict = false;
};

// The base may be given as the path of its report; where two reports have one stem, labels are
// paths.
std::string base_label(const Arguments& arguments) {
  const auto stem = [](const std::string& path) {
    return std::filesystem::path(path).stem().string();
  };
  const auto& files = arguments.files;
  if (std::find(files.begin(), files.end(), arguments.base) == files.end()) {
    return arguments.base;
  }
  const auto alike = std::count_if(files.begin(), files.end(), [&](const std::string& file) {
    return stem(file) == stem(arguments.base);
  });
  return alike == 1 ? stem(arguments.base) : arguments.base;
}

void require_several(const Arguments& arguments) {
  auto files = arguments.files;
  if (files.size() == 1 && arguments.group_by == "file") {
    throw UsageError(
        "there is nothing to compare with: give two reports, or --group-by run, machine or backend "
        "where one report has several");
  }
  std::sort(files.begin(), files.end());
  const auto twice = std::adjacent_find(files.begin(), files.end());
  if (twice != files.end()) {
    throw UsageError(*twice + " is given twice; to compare parts of one report: --group-by");
  }
}

// Why none of the report's rows is compared, and what to do.
std::string why_empty(const Report& report, const Arguments& arguments) {
  if (report.left_out() > 0 && report.size() == 0) {
    const auto& notes = report.notes();
    const auto note = std::find_if(notes.begin(), notes.end(), [](const Note& entry) {
      return entry.line > 1;  // the first is the header
    });
    const auto more = report.left_out() - 1;
    return fmt::format("{}{}: {}{}; there is no other row: `breakeven run` measures again",
                       report.path(), note == notes.end() ? "" : fmt::format(":{}", note->line),
                       note == notes.end() ? "no row can be read" : note->text,
                       more == 0 ? "" : fmt::format(", and {} more", more));
  }
  if (report.size() == 0) {
    return report.path() + ": has no rows; `breakeven run --out FILE` writes reports";
  }
  if (!arguments.filter.empty()) {
    return fmt::format("--filter {}: no case of {} has such a name", arguments.filter,
                       report.path());
  }
  return report.path() +
         ": has only rows of `breakeven find`, and a probe stands for no case; `breakeven run` "
         "measures cases";
}

void require_rows(const Grouped& grouped, const std::vector<Report>& reports,
                  const Arguments& arguments) {
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (grouped.rows[i] == 0) {
      throw Unusable(why_empty(reports[i], arguments));
    }
  }
}

int run(const Arguments& arguments) {
  const Pattern filter("--filter", arguments.filter);
  require_several(arguments);
  const auto reports = read_all(arguments.files);
  const auto grouped = group_rows(reports, arguments.group_by,
                                  [&](std::string_view name) { return filter.is_in(name); });
  require_rows(grouped, reports, arguments);
  ComparisonOptions options;
  options.base = base_label(arguments);
  options.expected = {arguments.expected.begin(), arguments.expected.end()};
  options.margin = arguments.margin_percent / 100;
  const auto comparison = compare(grouped, options);
  const int status = exit_status(comparison, arguments.strict);
  // What people compare machines for; of one machine the cases say it.
  std::set<std::string> machines;
  for (const auto& report : reports) {
    machines.insert(report.machines().begin(), report.machines().end());
  }
  const auto crossings = machines.size() > 1 ? crossings_of(reports) : Crossings{};
  if (arguments.format == "json") {
    std::cout << as_json(grouped, comparison, status, crossings);
  } else if (arguments.format == "csv") {
    std::cout << as_csv(grouped, comparison);
  } else {
    const bool in_colour = shows_colour(stdout);
    std::cout << as_text(grouped, comparison, options,
                         {.markdown = arguments.format == "markdown",
                          .in_colour = in_colour,
                          .width = terminal_columns(stdout)},
                         crossings);
  }
  flush_standard_output();
  return status;
}

}  // namespace
}  // namespace comparison

int compare_variants(const std::string& report, std::string_view variant) {
  comparison::Arguments arguments;
  arguments.files = {report};
  arguments.group_by = "variant";
  arguments.base = variant.substr(variant.find('@') + 1);
  return run(arguments);
}

void add_compare(CLI::App& program, int& status) {
  auto* command = program.add_subcommand("compare", "Compare reports, by run or by machine");
  auto arguments = std::make_shared<comparison::Arguments>();
  command->add_option("report", arguments->files, "CSV files; the first is the base")->required();
  command->add_option("--base", arguments->base, "Report that the others are compared with");
  command->add_option(
      "--group-by", arguments->group_by,
      "file (default), run, machine, label:KEY, variant (of a backend, judged) or a "
      "column such as backend");
  command
      ->add_option("--expect", arguments->expected,
                   "What was meant to differ: compiler, flags, library, affinity, processor, "
                   "options, machine")
      ->allow_extra_args(false)
      ->delimiter(',');
  command
      ->add_option("--margin", arguments->margin_percent,
                   "Percent within which two times are equivalent (default 2)")
      ->check(CLI::Range(0.0, 100.0));
  command->add_option("--filter", arguments->filter, "Regular expression on the full case name");
  command->add_option("--format", arguments->format, "table (default), markdown, csv or json")
      ->check(CLI::IsMember({"table", "markdown", "csv", "json"}));
  command->add_flag("--strict", arguments->strict, "Exit with 4 where a verdict is inconclusive");
  command->footer(
      "\nExamples:\n"
      "  breakeven compare before.csv after.csv              one machine: judged\n"
      "  breakeven compare laptop.csv server.csv             machines: described\n"
      "  breakeven compare run.csv --group-by backend        inside one report\n"
      "  breakeven compare run.csv --group-by variant --base old   against serial@old\n"
      "  breakeven compare old.csv new.csv --expect compiler --format markdown\n"
      "\nExit status: 0 no regression established; 1 regression; 2 usage, or a file that\n"
      "cannot be read; 3 not comparable, missing or invalid; 4 inconclusive (with\n"
      "--strict).");
  command->callback([arguments, &status] {
    status = 2;  // unless it comes to its end
    status = run(*arguments);
  });
}

}  // namespace breakeven
