// SPDX-License-Identifier: Apache-2.0
#include "reports/html/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>

#include "reports/charts/svg.hpp"
#include "reports/html/assets.hpp"
#include "reports/text/escape.hpp"

namespace breakeven {
namespace {

using drawing::Chart;

constexpr std::size_t most_seen_lines = 3;  // of an answer; the others fold

std::string links(const std::vector<std::string>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += fmt::format("{}<a href=\"#{}\">{}</a>", i == 0 ? " Rows " : ", ", html(rows[i]), i + 1);
  }
  return text.empty() ? text : "<span class=\"quiet\">" + text + "</span>";
}

std::string title_of(const Answer& answer) {
  return html(answer.machine.empty() ? std::string(answer.question)
                                     : answer.machine + ": " + std::string(answer.question));
}

// The clauses of several devices are lines of their own.
std::string answer_text(const Answer& answer, const Report& report, std::size_t index) {
  std::vector<std::string> lines{""};
  for (const auto& part : answer.parts) {
    if (part.begins_line) {
      lines.emplace_back();
    }
    lines.back() += linked(part.text, part.rows, report, index);
  }
  std::string text = "<p>";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool folds = i == most_seen_lines + 1 && i + 1 < lines.size();
    text += folds    ? fmt::format("</p><details><summary>{} more</summary><p>", lines.size() - i)
            : i == 0 ? ""
                     : "<br>";
    text += lines[i];
  }
  return text + (lines.size() > most_seen_lines + 2 ? "</p></details>\n" : "</p>\n");
}

const Chart* first_chart(const std::vector<Chart>& charts) {
  const auto has_band = [](const Chart& chart) {
    return std::any_of(chart.series.begin(), chart.series.end(),
                       [](const auto& series) { return series.line == drawing::Line::band; });
  };
  auto found = std::find_if(charts.begin(), charts.end(), [&](const Chart& chart) {
    return chart.case_name == "matmul" && has_band(chart);
  });
  if (found == charts.end()) {
    found = std::find_if(charts.begin(), charts.end(),
                         [](const Chart& chart) { return !chart.series.empty(); });
  }
  return found == charts.end() ? nullptr : &*found;
}

// Bars first: they say the least and show the most.
const Chart* chart_for(const Answer& answer, const std::vector<Chart>& charts,
                       const std::set<const Chart*>& used) {
  for (const bool bars : {true, false}) {
    for (const auto& chart : charts) {
      if (!answer.case_name.empty() && chart.case_name == answer.case_name &&
          chart.bars.empty() != bars && !used.contains(&chart)) {
        return &chart;
      }
    }
  }
  return nullptr;
}

std::string unanswered(const std::vector<Answer>& answers, const Report& report,
                       std::size_t index) {
  std::string text;
  std::size_t count = 0;
  for (const auto& answer : answers) {
    if (!answer.is_answered) {
      text += fmt::format("<h3>{}</h3>{}", title_of(answer), answer_text(answer, report, index));
      ++count;
    }
  }
  return text.empty() ? text
                      : fmt::format(
                            "<details class=\"quiet\"{}><summary>{} {} not answered by this "
                            "report</summary>\n{}</details>\n",
                            count == answers.size() ? " open" : "", count,
                            count == 1 ? "question is" : "questions are", text);
}

std::string questions_section(const PageContent& content, std::set<const Chart*>& used) {
  std::string text = "<h2 id=\"questions\">Questions and answers</h2>\n";
  constexpr std::size_t most_told = 8;
  const auto told = std::min(most_told, content.answers.size());
  for (std::size_t i = 0; i < told; ++i) {
    const auto& report = content.reports[i];
    text += content.answers.size() > 1 ? "<h3>" + html(report.path()) + "</h3>\n" : "";
    for (const auto& answer : content.answers[i]) {
      if (!answer.is_answered) {
        continue;
      }
      // Charts show all reports, and stand beside the first one's answers.
      const auto* chart =
          i == 0 && answer.id != "Q1b" ? chart_for(answer, content.charts, used) : nullptr;
      text += fmt::format("<article class=\"question\"><div><h3>{}</h3>{}</div>{}</article>\n",
                          title_of(answer), answer_text(answer, report, i),
                          chart == nullptr ? "" : figure(*chart));
      used.insert(chart);
    }
    text += unanswered(content.answers[i], report, i);
  }
  return content.answers.empty() ? "" : text;
}

std::string remarks_section(const std::vector<Remark>& remarks) {
  std::string text =
      "<h2 id=\"trust\">Can these numbers be believed?</h2>\n<ul class=\"verdicts\">\n";
  for (const auto& remark : remarks) {
    const auto* tone = remark.tone == Tone::good      ? "good"
                       : remark.tone == Tone::warning ? "warn"
                       : remark.tone == Tone::bad     ? "bad"
                                                      : "";
    text +=
        fmt::format("<li class=\"{}\">{}{}</li>\n", tone, html(remark.text), links(remark.rows));
  }
  return text + "</ul>\n";
}

std::string charts_section(const std::vector<Chart>& charts, const std::set<const Chart*>& used) {
  std::string text;
  for (const auto& chart : charts) {
    if (!used.contains(&chart)) {
      text += figure(chart);
    }
  }
  return text.empty()
             ? text
             : "<h2 id=\"charts\">More charts</h2>\n<div class=\"charts\">\n" + text + "</div>\n";
}

std::string title_of(std::span<const Report> reports) {
  std::set<std::string> machines;
  for (const auto& report : reports) {
    machines.insert(report.machines().begin(), report.machines().end());
  }
  std::string text = "Breakeven";
  std::size_t count = 0;
  for (const auto& machine : machines) {
    text += (count++ == 0 ? ": " : ", ") + machine;
    if (count == 3 && machines.size() > 3) {
      return text + fmt::format(" and {} more", machines.size() - 3);
    }
  }
  return text;
}

std::string navigation(const std::string& body) {
  constexpr std::pair<const char*, const char*> places[] = {
      {"answer", "Answer"},       {"across", "Machines side by side"},
      {"questions", "Questions"}, {"charts", "Charts"},
      {"matrix", "Backends"},     {"trust", "Trust"},
      {"machines", "Machine"},    {"all-rows", "Rows"}};
  std::string text = "<nav aria-label=\"Parts of the report\"><b>Breakeven</b>";
  for (const auto& [id, name] : places) {
    if (body.find(fmt::format(" id=\"{}\"", id)) != body.npos) {
      text += fmt::format("<a href=\"#{}\">{}</a>", id, name);
    }
  }
  return text + "</nav>\n";
}

}  // namespace

std::string figure(const Chart& chart, bool is_wide) {
  auto text = fmt::format(
      "<figure class=\"chart{}\" id=\"{}\"><figcaption><h3>{}</h3><p>{}</p>"
      "</figcaption>",
      is_wide ? " wide" : "", html(chart.id), html(chart.title), html(chart.caption));
  const drawing::Look narrow{.width = 460, .height = 280};
  if (is_wide) {
    text += drawing::svg(chart, {.width = 760, .height = 380});
  }
  return text + drawing::svg(chart, narrow) + "</figure>\n";
}

bool is_fleet(std::span<const Report> reports) {
  std::size_t rows = 0;
  for (const auto& report : reports) {
    rows += report.size();
  }
  return rows > most_rows;
}

std::string page_of(const PageContent& content) {
  const auto* hero = first_chart(content.charts);
  std::set<const Chart*> used{hero};
  const auto questions = questions_section(content, used);
  const bool fleet = is_fleet(content.reports);
  auto body = first_screen(content, hero) + questions + charts_section(content.charts, used);
  if (fleet) {
    body += "<h2 id=\"all-rows\">All cases</h2>\n" + fleet_table(content.reports) +
            remarks_section(content.remarks);
  } else {
    body += matrices(content.reports) + remarks_section(content.remarks) +
            "<h2 id=\"machines\">Machine</h2>\n<details><summary>Everything known of it</summary>" +
            machines_table(content.reports) + "</details>\n<h2 id=\"all-rows\">All rows</h2>\n" +
            rows_table(content.reports);
  }
  return page_around(
      title_of(content.reports), navigation(body) + "<main>\n" + body + "</main>\n",
      fmt::format("<script>{}</script>\n<script>{}</script>\n", assets::charts, assets::table));
}

std::string page_around(const std::string& title, const std::string& body,
                        const std::string& after) {
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
         "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n<title>" +
         html(title) + "</title>\n<style>" + std::string(assets::style) + drawing::chart_style() +
         "</style>\n</head>\n<body>\n" + body + after + "</body>\n</html>\n";
}

}  // namespace breakeven
