// SPDX-License-Identifier: Apache-2.0
#include "reports/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>

#include "reports/fleet/collection.hpp"
#include "reports/history/formats.hpp"
#include "reports/history/store.hpp"
#include "reports/reader/read_all.hpp"
#include "reports/text/output.hpp"
#include "reports/text/usage.hpp"

namespace breakeven {
namespace history {
namespace {

struct Arguments {
  std::string path, format = "text", output, since;
  std::vector<std::string> imports, cases, machines;
  Wanted wanted;
  double margin_percent = least_change * 100;
};

void import(const Arguments& arguments) {
  Store store(arguments.path, Store::Open::create);
  std::size_t files = 0, rows = 0, added = 0;
  for (const auto& file : fleet::files_below(arguments.imports)) {
    const auto reports = read_all({file});
    rows += reports[0].size();
    added += store.add(reports[0]);
    ++files;
  }
  fmt::print(stderr, "{} of {} rows of {} report{} are new in {}\n", added, rows, files,
             files == 1 ? "" : "s", arguments.path);
}

// A beginning of ISO 8601 is compared as text: it must be one.
void require_date(const std::string& since) {
  constexpr std::string_view form = "0000-00-00T00:00:00Z";
  const auto fits = [&](std::size_t i) {
    return form[i] == '0' ? since[i] >= '0' && since[i] <= '9' : since[i] == form[i];
  };
  bool good = since.empty() || (since.size() >= 4 && since.size() <= form.size());
  for (std::size_t i = 0; good && i < since.size(); ++i) {
    good = fits(i);
  }
  const auto number = [&](std::size_t at, std::size_t digits) {
    return since.size() >= at + digits ? std::stoi(since.substr(at, digits)) : 1;
  };
  if (good && !since.empty()) {
    const std::chrono::year_month_day day{std::chrono::year(number(0, 4)),
                                          std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                          std::chrono::day(static_cast<unsigned>(number(8, 2)))};
    good = day.ok() && (since.size() < 13 || number(11, 2) < 24);
  }
  if (!good) {
    throw UsageError("--since " + since +
                     ": write a day as 2026-03-05, or a time as 2026-03-05T02:00:00Z");
  }
}

int run(Arguments arguments) {
  require_date(arguments.since);
  if (!arguments.imports.empty()) {
    import(arguments);
  }
  arguments.wanted.cases = {arguments.cases.begin(), arguments.cases.end()};
  arguments.wanted.machines = {arguments.machines.begin(), arguments.machines.end()};
  const auto history = read(Store(arguments.path, Store::Open::read), arguments.wanted);
  if (history.series.empty()) {
    throw Unusable(arguments.path + ": no case of that name, machine or filter is in it");
  }
  const history::Options options{arguments.margin_percent / 100, arguments.since};
  const auto findings = changes(history, options);
  if (!arguments.output.empty()) {
    write_whole_file(arguments.output, as_page(history, findings, options));
  }
  const bool in_colour = shows_colour(stdout);
  std::cout << (arguments.format == "csv" ? as_csv(history, findings)
                : arguments.format == "json"
                    ? as_json(history, findings)
                    : as_text(history, findings, options, Lines(stdout), in_colour));
  return findings.is_worse() ? 1 : 0;
}

}  // namespace
}  // namespace history

std::function<void(std::span<const Row>)> open_history(const std::string& path) {
  const auto store = std::make_shared<history::Store>(path, history::Store::Open::create);
  return [store](std::span<const Row> rows) { store->add(rows); };
}

void add_history(CLI::App& program, int& status) {
  auto* command = program.add_subcommand(
      "history", "Keep runs in one file; say when a case became slower, and what changed there");
  auto arguments = std::make_shared<history::Arguments>();
  command->add_option("file", arguments->path, "The SQLite file that `run --history` writes")
      ->required();
  command->add_option(
      "--import", arguments->imports,
      "Reports, and folders of them, to add first; what is there is not added again");
  command->add_option("--case", arguments->cases, "Cases, such as matmul")->delimiter(',');
  command->add_option("--filter", arguments->wanted.filter,
                      "Regular expression on the full case name");
  command->add_option("--machine", arguments->machines, "Machines")->delimiter(',');
  command->add_option("--over", arguments->wanted.over,
                      "run (default), date, commit, driver or label:KEY: what is one point");
  command->add_option("--since", arguments->since,
                      "Tell what changed from then on; what was before is still compared with");
  command
      ->add_option("--margin", arguments->margin_percent,
                   "Percent: a smaller change is not told (default 1)")
      ->check(CLI::Range(0.0, 100.0));
  command->add_option("--format", arguments->format, "text (default), csv or json")
      ->check(CLI::IsMember({"text", "csv", "json"}));
  command->add_option("-o,--output", arguments->output, "One self-contained HTML page");
  command->footer(R"(Examples:
  breakeven run --history nightly.db               measure, and keep the run
  breakeven history nightly.db                     what changed, and when
  breakeven history nightly.db --import reports/   the same, of these reports
  breakeven history nightly.db --case matmul --since 2026-03-01 -o matmul.html
  breakeven history nightly.db --over label:commit --format json

Exit status: 0 nothing became slower, 1 a case did or has no verified
result any more, 2 usage or nothing to read.)");
  command->callback([arguments, &status] {
    status = 2;  // unless it comes to its end
    status = run(*arguments);
  });
}

}  // namespace breakeven
