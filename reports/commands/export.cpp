// SPDX-License-Identifier: Apache-2.0
#include "reports/commands/commands.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "reports/export/formats.hpp"
#include "reports/reader/read_all.hpp"
#include "reports/text/output.hpp"

namespace breakeven {
namespace {

struct ExportArguments {
  std::vector<std::string> files;
  std::string format = "google-benchmark", output;
};

void run(const ExportArguments& arguments) {
  if (!arguments.output.empty()) require_not_an_input(arguments.output, arguments.files);
  const std::vector<Report> reports = read_all(arguments.files);
  const std::string text = arguments.format == "bencher"       ? bencher_json(reports)
                           : arguments.format == "openmetrics" ? openmetrics_text(reports)
                                                               : google_benchmark_json(reports);
  if (!arguments.output.empty()) return write_whole_file(arguments.output, text);
  std::cout << text;
}

}  // namespace

void add_export(CLI::App& program, int& status) {
  auto* command = program.add_subcommand("export", "A report in the formats of other tools");
  auto arguments = std::make_shared<ExportArguments>();
  command->add_option("report", arguments->files, "CSV files")->required();
  command
      ->add_option("--format", arguments->format,
                   "google-benchmark (default), bencher or openmetrics")
      ->check(CLI::IsMember({"google-benchmark", "bencher", "openmetrics"}));
  command->add_option("-o,--output", arguments->output, "A file (default: standard output)");
  command->footer(
      "\nExamples:\n"
      "  breakeven export run.csv -o run.json                          for compare.py\n"
      "  breakeven export run.csv --format bencher                     for Bencher\n"
      "  breakeven export run.csv --format openmetrics -o run.prom     for Prometheus\n"
      "\nExit status: 0, or 2 for usage and what cannot be read or written.");
  command->callback([arguments, &status] {
    status = 2;  // unless it comes to its end
    run(*arguments);
    status = 0;
  });
}

}  // namespace breakeven
