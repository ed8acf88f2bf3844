// SPDX-License-Identifier: Apache-2.0
#include "reports/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "reports/answers/headline.hpp"
#include "reports/charts/svg.hpp"
#include "reports/html/other_formats.hpp"
#include "reports/html/page.hpp"
#include "reports/reader/read_all.hpp"
#include "reports/text/lines.hpp"
#include "reports/text/output.hpp"
#include "reports/text/table.hpp"

namespace breakeven {
namespace {

struct ReportArguments {
  std::vector<std::string> files;
  std::string output, svg;
  bool as_json = false, as_markdown = false;
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
        const auto text = lines.wrapped(of_machine(answer).append(answer.question), 0) + "\n" +
                          answer_text(answer, lines);
        fmt::print("{}", coloured(text, answered ? Colour::none : Colour::dim, in_colour));
      }
    }
  }
  fmt::print("\n");
}

// What to know and what to type, before the questions.
void print(const Headline& headline, const Lines& lines, bool in_colour) {
  fmt::print("{}\n",
             coloured(lines.wrapped(printable(headline.title + "."), 0), Colour::green, in_colour));
  if (!headline.subtitle.empty()) {
    fmt::print("{}\n", lines.wrapped(printable(headline.subtitle), 0));
  }
  for (const auto& fact : headline.facts) {
    fmt::print(
        "\n{}\n{}\n", fact.question,
        lines.wrapped(
            printable(fact.answer + (fact.answer.ends_with('.') ? " " : ". ") + fact.detail), 2));
    for (const auto& command : fact.commands) {
      fmt::print("{}\n", lines.command(printable(command), 4));
    }
  }
  fmt::print("\n");
}

void print(const std::vector<Report>& reports, const std::vector<std::vector<Answer>>& all,
           const std::vector<Remark>& remarks) {
  const bool in_colour = shows_colour(stdout);
  const Lines lines(stdout);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all.size() > 1) {
      fmt::print("{}\n\n", printable(reports[i].path()));
    }
    print(headline_of(reports[i]), lines, in_colour);
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

void write(const std::string& path, const std::string& text) {
  if (path.empty() || path == "-") {
    std::cout << text;
  } else {
    write_whole_file(path, text);
  }
}

void run(const ReportArguments& arguments) {
  require_not_an_input(arguments.output, arguments.files);
  const auto reports = read_all(arguments.files);
  // Of very many rows the page tells cases and machines, and no answers of each.
  const bool fleet = is_fleet(reports) && !arguments.output.empty() && arguments.svg.empty() &&
                     !arguments.as_json && !arguments.as_markdown;
  std::vector<std::vector<Answer>> answers;
  for (std::size_t i = 0; i < (fleet ? 0 : reports.size()); ++i) {
    answers.push_back(breakeven::answers(reports[i]));
  }
  const auto remarks = remarks_of(reports);
  if (arguments.as_json || arguments.as_markdown) {
    const PageContent content{reports, answers, remarks, {}};
    return write(arguments.output,
                 arguments.as_json ? report_json(content) : report_markdown(content));
  }
  if (arguments.output.empty() && arguments.svg.empty()) {
    return print(reports, answers, remarks);
  }
  const auto charts = fleet ? std::vector<drawing::Chart>{} : drawing::charts_of(reports);
  if (!arguments.output.empty()) {
    write(arguments.output, page_of({reports, answers, remarks, charts}));
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
  auto arguments = std::make_shared<ReportArguments>();
  command->add_option("report", arguments->files, "CSV files of `breakeven run`")->required();
  command->add_option("-o,--output", arguments->output,
                      "One self-contained HTML page, or the --json or --markdown; - for stdout");
  command->add_option("--svg", arguments->svg, "Folder for the charts as SVG files");
  auto* as_json = command->add_flag("--json", arguments->as_json,
                                    "Headlines, answers and break-even points for programs");
  command->add_flag("--markdown", arguments->as_markdown, "The same for people, as Markdown")
      ->excludes(as_json);
  command->footer(
      "\nExamples:\n"
      "  breakeven report run.csv                        answers in plain words\n"
      "  breakeven report run.csv -o report.html         a page that works offline\n"
      "  breakeven report laptop.csv server.csv -o both.html\n"
      "  breakeven report run.csv --svg figures/         the charts for a paper\n"
      "  breakeven report run.csv --markdown | gh issue comment 7 --body-file -\n"
      "  breakeven report run.csv --json | jq '.reports[0].break_even'\n"
      "\nExit status: 0; 2 usage, or a file that cannot be read or written.");
  command->callback([arguments, &status] {
    status = 2;  // unless it comes to its end
    run(*arguments);
    status = 0;
  });
}

}  // namespace breakeven
