// SPDX-License-Identifier: Apache-2.0
#include "reports/html/other_formats.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/answers/headline.hpp"
#include "reports/answers/overview.hpp"
#include "reports/answers/told_sweeps.hpp"
#include "reports/break_even/finding_formats.hpp"
#include "reports/text/quantity.hpp"
#include "reports/text/table.hpp"

namespace breakeven {
namespace {

using nlohmann::json;

json lines_of(const std::vector<std::size_t>& rows, const Report& report) {
  json lines = json::array();
  for (const auto row : rows) {
    lines.push_back(report.row(row).line());
  }
  return lines;
}

json headline_json(const Headline& headline, const Report& report) {
  json facts = json::array(), trust = json::array();
  for (const auto& fact : headline.facts) {
    facts.push_back({{"question", fact.question},
                     {"answer", fact.answer},
                     {"detail", fact.detail},
                     {"commands", fact.commands},
                     {"lines", lines_of(fact.rows, report)}});
  }
  for (const auto& one : headline.trust) {
    trust.push_back(one.text);
  }
  return {{"title", headline.title},
          {"subtitle", headline.subtitle},
          {"machine", headline.machine},
          {"trust", std::move(trust)},
          {"facts", std::move(facts)}};
}

json answers_json(const std::vector<Answer>& answers, const Report& report) {
  json all = json::array();
  for (const auto& answer : answers) {
    json lines = json::array();
    for (const auto& part : answer.parts) {
      for (const auto row : part.rows) {
        lines.push_back(report.row(row).line());
      }
    }
    all.push_back({{"id", answer.id},
                   {"question", answer.question},
                   {"answered", answer.is_answered},
                   {"text", answer.text()},
                   {"lines", std::move(lines)}});
  }
  return all;
}

json break_even_json(const Report& report) {
  json all = json::array();
  for (const auto& sweep : told_sweeps(report)) {
    all.push_back(finding_json(sweep));
  }
  return all;
}

json cases_json(const Report& report) {
  const auto matrix = matrix_of(report);
  json all = json::array();
  for (const auto& line : matrix.lines) {
    json devices = json::object();
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      if (const auto& cell = line.cells[i]) {
        devices[matrix.devices[i]] = {{"median_ns", cell->nanoseconds}, {"ratio", cell->ratio}};
      }
    }
    all.push_back({{"case", line.name}, {"devices", std::move(devices)}});
  }
  return all;
}

const char* tone_name(Tone tone) {
  switch (tone) {
    case Tone::plain:
      return "plain";
    case Tone::good:
      return "good";
    case Tone::warning:
      return "warning";
    case Tone::bad:
      return "bad";
  }
  return "plain";
}

// Text of others in a line of Markdown: it starts no markup and no line.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : printable(text)) {
    if (std::string_view("\\`*_[]<>|#").find(c) != std::string_view::npos) {
      result += '\\';
    }
    result += c;
  }
  return result;
}

std::string headline_markdown(const Headline& headline) {
  auto text = fmt::format("# {}\n\n{}\n\n", escaped(headline.title), escaped(headline.subtitle));
  for (const auto& fact : headline.facts) {
    text += fmt::format("- **{}** {}{} {}\n", escaped(fact.question), escaped(fact.answer),
                        fact.answer.ends_with('.') ? "" : ".", escaped(fact.detail));
    for (const auto& command : fact.commands) {
      text += "  `" + printable(command) + "`\n";
    }
  }
  text += "\n";
  for (const auto& one : headline.trust) {
    text += escaped(one.text) + " · ";
  }
  return text + escaped(headline.machine) + "\n\n";
}

std::string crossings_markdown(const Crossings& crossings) {
  std::vector<Table::Heading> headings{{"break-even"}};
  for (const auto& machine : crossings.machines) {
    headings.push_back({printable(machine)});
  }
  Table table(headings);
  for (const auto& line : crossings.lines) {
    std::vector<Cell> cells{printable(line.pair)};
    for (const auto& cell : line.cells) {
      cells.emplace_back(cell.bracket.empty() ? "-" : printable(cell.bracket + "; " + cell.ratio));
    }
    table.add(std::move(cells));
  }
  return "## Machine by machine\n\n" + table.markdown() + "\n";
}

std::string matrix_markdown(const Matrix& matrix) {
  std::vector<Table::Heading> headings{{"case"}};
  for (const auto& device : matrix.devices) {
    headings.push_back({printable(device), Align::right});
  }
  Table table(headings);
  for (const auto& line : matrix.lines) {
    std::vector<Cell> cells{printable(line.name)};
    for (const auto& cell : line.cells) {
      cells.emplace_back(
          cell ? relative_text(cell->ratio) + " (" + time_text(cell->nanoseconds) + ")" : "");
    }
    table.add(std::move(cells));
  }
  return table.empty() ? "" : "## Cases by backends\n\n" + table.markdown() + "\n";
}

}  // namespace

std::string report_json(const PageContent& content) {
  json reports = json::array();
  for (std::size_t i = 0; i < content.reports.size(); ++i) {
    const auto& report = content.reports[i];
    reports.push_back({{"file", report.path()},
                       {"rows", report.size()},
                       {"machines", report.machines()},
                       {"headline", headline_json(headline_of(report), report)},
                       {"break_even", break_even_json(report)},
                       {"answers", answers_json(content.answers[i], report)},
                       {"cases", cases_json(report)}});
  }
  json remarks = json::array();
  for (const auto& remark : content.remarks) {
    remarks.push_back({{"tone", tone_name(remark.tone)}, {"text", remark.text}});
  }
  const json all{{"version", 1}, {"reports", std::move(reports)}, {"remarks", std::move(remarks)}};
  return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string report_markdown(const PageContent& content) {
  std::string text;
  for (const auto& report : content.reports) {
    text += headline_markdown(headline_of(report));
  }
  const auto crossings = crossings_of(content.reports);
  if (crossings.machines.size() > 1) {
    text += crossings_markdown(crossings);
  }
  for (std::size_t i = 0; i < content.reports.size(); ++i) {
    text += content.reports.size() > 1 ? "## " + escaped(content.reports[i].path()) + "\n\n" : "";
    for (const auto& answer : content.answers[i]) {
      if (answer.is_answered) {
        text += fmt::format("**{}** {}\n\n", escaped(std::string(answer.question)),
                            escaped(answer.text()));
      }
    }
    text += matrix_markdown(matrix_of(content.reports[i]));
  }
  text += "## Can these numbers be believed?\n\n";
  for (const auto& remark : content.remarks) {
    text += "- " + escaped(remark.text) + "\n";
  }
  return text;
}

}  // namespace breakeven
