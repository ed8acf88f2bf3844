// SPDX-License-Identifier: Apache-2.0
#include "reports/html/command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "reports/charts/gnuplot.hpp"
#include "reports/html/page.hpp"
#include "reports/reader/read_all.hpp"
#include "reports/text/lines.hpp"
#include "reports/text/output.hpp"
#include "reports/text/table.hpp"

namespace breakeven {
namespace {

constexpr int usage = 2;

struct Arguments {
  std::vector<std::string> files;
  std::string output, svg;
};

std::string answer_text(const Answer& answer, const Lines& lines) {
  std::vector<std::string> clauses{""};
  for (const auto& part : answer.parts) {
    if (part.begins_line) {
      clauses.emplace_back();
    }
    clauses.back() += part.text;
  }
  std::string text;
  for (const auto& clause : clauses) {
    text += lines.wrapped(printable(clause), text.empty() ? 2 : 4) + "\n";
  }
  return text;
}

std::string of_machine(const Answer& answer) {
  return answer.machine.empty() ? "" : printable(answer.machine) + ": ";
}

// What is answered first.
void print(const std::vector<Answer>& answers, const Lines& lines, bool in_colour) {
  for (const bool answered : {true, false}) {
    for (const auto& answer : answers) {
      if (answer.is_answered == answered) {
        const auto text = fmt::format("{}{}\n{}", of_machine(answer), answer.question,
                                      answer_text(answer, lines));
        fmt::print("{}", coloured(text, answered ? Colour::none : Colour::dim, in_colour));
      }
    }
  }
  fmt::print("\n");
}

void print(const std::vector<Report>& reports, const std::vector<std::vector<Answer>>& all,
           const std::vector<Remark>& remarks) {
  const bool in_colour = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  const Lines lines(stdout);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all.size() > 1) {
      fmt::print("{}\n\n", printable(reports[i].path()));
    }
    print(all[i], lines, in_colour);
  }
  for (const auto& remark : remarks) {
    const auto colour = remark.tone == Tone::good      ? Colour::green
                        : remark.tone == Tone::warning ? Colour::yellow
                        : remark.tone == Tone::bad     ? Colour::red
                                                       : Colour::none;
    fmt::print("{}\n", coloured(lines.wrapped(printable(remark.text), 0), colour, in_colour));
  }
}

void run(const Arguments& arguments) {
  require_not_an_input(arguments.output, arguments.files);
  const auto reports = read_all(arguments.files, std::cerr);
  std::vector<std::vector<Answer>> answers;
  for (const auto& report : reports) {
    answers.push_back(breakeven::answers(report));
  }
  const auto remarks = remarks_of(reports);
  if (arguments.output.empty() && arguments.svg.empty()) {
    return print(reports, answers, remarks);
  }
  const auto charts = drawing::charts_of(reports);
  if (!arguments.output.empty()) {
    const auto page = page_of({reports, answers, remarks, charts});
    if (arguments.output == "-") {
      std::cout << page;
    } else {
      write_whole_file(arguments.output, page);
    }
  }
  if (!arguments.svg.empty()) {
    for (const auto& file : drawing::write_svg(charts, arguments.svg)) {
      fmt::print("{}\n", file.string());
    }
  }
}

}  // namespace

void add_report(CLI::App& program, int& status) {
  auto* command = program.add_subcommand("report", "Answers and charts from reports");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("reports", arguments->files, "CSV files of `breakeven run`")->required();
  command->add_option("-o,--output", arguments->output,
                      "One self-contained HTML page; - for stdout");
  command->add_option("--svg", arguments->svg, "Folder for the charts as SVG files (gnuplot)");
  command->callback([arguments, &status] {
    try {
      run(*arguments);
      flush_standard_output();
    } catch (const std::exception& error) {
      std::cerr << "breakeven report: " << error.what() << '\n';
      status = usage;
    }
  });
}

}  // namespace breakeven
