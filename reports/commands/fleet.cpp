// SPDX-License-Identifier: Apache-2.0
#include "reports/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "reports/fleet/baseline.hpp"
#include "reports/fleet/formats.hpp"
#include "reports/text/lines.hpp"
#include "reports/text/output.hpp"
#include "reports/text/usage.hpp"

namespace breakeven {
namespace fleet {
namespace {

struct Arguments {
  std::vector<std::string> paths;
  std::string filter, format = "text", output, baseline, save_baseline;
  double margin_percent = 1;
  bool exclude = false;
};

void tell(const std::vector<std::string>& notes) {
  constexpr std::size_t most = 20;
  for (std::size_t i = 0; i < std::min(notes.size(), most); ++i) {
    print_line(stderr, "note: " + notes[i]);
  }
  if (notes.size() > most) {
    print_line(stderr,
               fmt::format("note: and {} more; --format json has them all", notes.size() - most));
  }
}

Fleet read(const Arguments& arguments) {
  Collection collection;
  collect(files_below(arguments.paths), arguments.filter, collection);
  tell(collection.notes);
  if (collection.nodes.empty()) {
    throw Unusable(
        arguments.filter.empty()
            ? "no report could be read; `breakeven run --out FILE` on every node writes them"
            : "--filter " + arguments.filter + ": no case of any report has such a name");
  }
  return fleet_of(std::move(collection));
}

std::string text_of(const Fleet& fleet, const Judgement& judgement, const Arguments& arguments) {
  if (arguments.exclude) {
    const auto line = exclude_line(fleet, judgement);
    return line.empty() ? "" : line + "\n";
  }
  if (arguments.format == "csv") {
    return as_csv(fleet, judgement);
  }
  if (arguments.format == "json") {
    return as_json(fleet, judgement);
  }
  constexpr std::size_t narrow = 80, read_with_ease = 110;
  const bool in_colour = shows_colour(stdout);
  return as_text(fleet, judgement,
                 std::min(terminal_columns(stdout).value_or(narrow), read_with_ease), in_colour);
}

int run(const Arguments& arguments) {
  const auto fleet = read(arguments);
  Options options;
  options.margin = arguments.margin_percent / 100;
  const auto baseline =
      arguments.baseline.empty() ? std::vector<Normal>() : read_baseline(arguments.baseline, fleet);
  const auto judgement = judge(fleet, options, baseline);
  if (!arguments.save_baseline.empty()) {
    const bool any = std::any_of(judgement.groups.begin(), judgement.groups.end(),
                                 [](const Group& group) { return group.is_judged; });
    if (!any) {
      throw Unusable("--save-baseline " + arguments.save_baseline +
                     ": no group has enough nodes to say what is normal");
    }
    write_whole_file(arguments.save_baseline, baseline_text(fleet, judgement));
  }
  if (!arguments.output.empty()) {
    write_whole_file(arguments.output, as_page(fleet, judgement));
  }
  std::cout << text_of(fleet, judgement, arguments);
  return exit_status(fleet, judgement);
}

}  // namespace
}  // namespace fleet

void add_fleet(CLI::App& program, int& status) {
  auto* command = program.add_subcommand(
      "fleet", "Judge many nodes that should be equal: which are slow, which are wrong");
  auto arguments = std::make_shared<fleet::Arguments>();
  command->add_option("report", arguments->paths, "Folders of CSV files, and files")->required();
  command->add_option("--filter", arguments->filter, "Regular expression on the full case name");
  command
      ->add_option("--margin", arguments->margin_percent,
                   "Percent: what is less slow than this is not named (default 1)")
      ->check(CLI::Range(0.1, 100.0));
  command->add_option("--format", arguments->format, "text (default), csv or json")
      ->check(CLI::IsMember({"text", "csv", "json"}));
  command->add_flag("--exclude", arguments->exclude,
                    "Print only the line for the scheduler: --exclude=n[17,203]");
  command->add_option("-o,--output", arguments->output, "One self-contained HTML page");
  command->add_option("--save-baseline", arguments->save_baseline,
                      "Keep what is normal, to judge single nodes later");
  command->add_option("--baseline", arguments->baseline,
                      "Judge each node by this, and not by the others");
  command->footer(R"(Examples:
  breakeven fleet reports/                         who is slow or wrong, and why
  breakeven fleet reports/ -o fleet.html           all nodes of every case
  sbatch $(breakeven fleet reports/ --exclude) job.sh
  breakeven fleet reports/ --save-baseline normal.json
  breakeven fleet n17.csv --baseline normal.json   is it as the others again?

Exit status: 0 no node is established to be slow or wrong, 1 one is, 2 usage or
nothing to read.)");
  command->callback([arguments, &status] {
    status = 2;  // unless it comes to its end
    status = run(*arguments);
  });
}

}  // namespace breakeven
