// SPDX-License-Identifier: Apache-2.0
#include "reports/html/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>

#include "reports/charts/svg.hpp"
#include "reports/html/assets.hpp"
#include "reports/reader/origins.hpp"
#include "reports/text/escape.hpp"

namespace breakeven {
namespace {

using drawing::Chart;

constexpr std::size_t most_charts = 6;  // that no answer has; the others fold

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

// More than all of a ceiling is no mistake, and looks like one.
std::string note_of(const Answer& answer, const Report& report) {
  for (const auto& part : answer.parts) {
    for (const auto row : part.rows) {
      if (part.text.ends_with('%') &&
          report.row(row).real(Column::ceiling_share).value_or(0) > 1.005) {
        return "<p class=\"quiet\">More than 100 %: the ceiling was measured at another moment, "
               "when "
               "this machine was slower. Read it as: at the ceiling.</p>\n";
      }
    }
  }
  return "";
}

// A sentence: the clauses of several devices are lines of their own, and fold where they are many.
std::string answer_text(const Answer& answer, const Report& report, std::size_t index) {
  std::vector<std::string> lines{""};
  bool begins_with_number = false;
  for (const auto& part : answer.parts) {
    if (part.begins_line) {
      lines.emplace_back();
    }
    begins_with_number = begins_with_number || (lines.size() == 1 && !part.rows.empty());
    lines.back() += linked(part.text, part.rows, report, index);
  }
  // One clause, after the words that begin all.
  const std::size_t few = begins_with_number ? 1 : 2;
  const std::size_t seen = lines.size() > few + 1 ? few : lines.size();
  std::string text = "<p>";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += i == seen ? fmt::format("</p><details><summary>{} more</summary><p>", lines.size() - i)
            : i == 0  ? ""
                      : "<br>";
    text += lines[i];
  }
  return text + (lines.size() > seen ? "</p></details>\n" : "</p>\n") + note_of(answer, report);
}

// Made for the question, or of its case: bars first, which say the least and show the most.
const Chart* chart_for(const Answer& answer, std::size_t report, const std::vector<Chart>& charts,
                       const std::set<const Chart*>& used) {
  const Chart* found = nullptr;
  int best = 0;
  for (const auto& chart : charts) {
    const bool is_of_machine = answer.machine.empty() || chart.origin == answer.machine ||
                               chart.origin.starts_with(answer.machine + " (");
    if (chart.report != report || !is_of_machine || used.contains(&chart)) {
      continue;
    }
    const bool is_of_case = chart.question.empty() && !answer.case_name.empty() &&
                            chart.case_name == answer.case_name && answer.id != "Q1b";
    const int rank = chart.question == answer.id ? 3 : !is_of_case ? 0 : chart.bars.empty() ? 1 : 2;
    if (rank > best) {
      found = &chart;
      best = rank;
    }
  }
  return found;
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

std::string questions_of(const PageContent& content, std::size_t index,
                         std::set<const Chart*>& used) {
  const auto& report = content.reports[index];
  std::string text = "<div class=\"answers\">\n";
  for (const auto& answer : content.answers[index]) {
    if (answer.is_answered) {
      const auto* chart = chart_for(answer, index, content.charts, used);
      text +=
          fmt::format("<article class=\"question\"><h3>{}</h3>{}{}</article>\n", title_of(answer),
                      answer_text(answer, report, index), chart == nullptr ? "" : figure(*chart));
      used.insert(chart);
    }
  }
  return text + "</div>\n" + unanswered(content.answers[index], report, index);
}

std::string charts_of(const PageContent& content, std::size_t index,
                      const std::set<const Chart*>& used) {
  std::string text;
  std::size_t count = 0, all = 0;
  const auto is_left = [&](const Chart& chart) {
    return chart.report == index && !used.contains(&chart);
  };
  all = static_cast<std::size_t>(
      std::count_if(content.charts.begin(), content.charts.end(), is_left));
  for (const auto& chart : content.charts) {
    if (is_left(chart)) {
      text += count++ == most_charts
                  ? fmt::format(
                        "</div>\n<details><summary>{} more charts</summary>\n<div "
                        "class=\"charts\">\n",
                        all - most_charts)
                  : "";
      text += figure(chart);
    }
  }
  return text.empty() ? text
                      : "<div class=\"charts\">\n" + text +
                            (count > most_charts ? "</div></details>\n" : "</div>\n");
}

// Of one report as a whole; of several each folded.
std::string questions_section(const PageContent& content, std::set<const Chart*>& used) {
  if (content.answers.empty()) {
    return "";
  }
  std::string text = "<h2 id=\"questions\">Questions and answers</h2>\n";
  if (content.answers.size() == 1) {
    text += questions_of(content, 0, used);
    const auto charts = charts_of(content, 0, used);
    return charts.empty() ? text : text + "<h2 id=\"charts\">More charts</h2>\n" + charts;
  }
  for (std::size_t i = 0; i < content.answers.size(); ++i) {
    const auto& report = content.reports[i];
    const auto headline = headline_of(report);
    text += fmt::format("<details class=\"report\"><summary>{}: all answers and charts</summary>\n",
                        html(file_name_of(report))) +
            facts_list(headline, report, i) + questions_of(content, i, used) +
            charts_of(content, i, used) + "</details>\n";
  }
  return text;
}

std::string remark_item(const Remark& remark) {
  const auto* tone = remark.tone == Tone::good      ? "good"
                     : remark.tone == Tone::warning ? "warn"
                     : remark.tone == Tone::bad     ? "bad"
                                                    : "";
  return fmt::format("<li class=\"{}\">{}{}</li>\n", tone, html(remark.text), links(remark.rows));
}

// What is not to be believed stands open; of several reports each is folded.
std::string remarks_section(const PageContent& content) {
  std::string text = "<h2 id=\"trust\">Can these numbers be believed?</h2>\n", folded;
  const bool are_several = content.reports.size() > 1;
  std::size_t count = 0;
  text += are_several ? trust_strip(trust_of(content.reports), "all reports together")
                      : "<ul class=\"verdicts\">\n";
  for (std::size_t i = 0; i < content.remarks.size(); ++i) {
    const auto& remark = content.remarks[i];
    const bool is_first = i == 0 || content.remarks[i - 1].report != remark.report;
    if (are_several && is_first) {
      folded += fmt::format("{}<details><summary>{}</summary><ul class=\"verdicts\">\n",
                            i == 0 ? "" : "</ul></details>\n",
                            html(file_name_of(content.reports[remark.report])));
    }
    const bool folds = are_several || (remark.tone == Tone::plain && !is_first);
    (folds ? folded : text) += remark_item(remark);
    count += folds ? 1 : 0;
  }
  if (are_several) {
    folded += folded.empty() ? "" : "</ul></details>\n";
    return text + (content.reports.size() <= most_machines
                       ? folded
                       : fmt::format("<details><summary>What each of {} reports says</summary>\n{}"
                                     "</details>\n",
                                     content.reports.size(), folded));
  }
  return text + "</ul>\n" +
         (count == 0 ? ""
                     : fmt::format("<details><summary>{} more</summary><ul class=\"verdicts\">\n{}"
                                   "</ul></details>\n",
                                   count, folded));
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

std::string figure(const Chart& chart, Frame frame) {
  const bool is_wide = frame == Frame::wide;
  auto text =
      fmt::format("<figure class=\"chart{}\" id=\"{}\">", is_wide ? " wide" : "", html(chart.id));
  if (frame != Frame::bare) {
    text += fmt::format("<figcaption><h3>{}</h3><p>{}{}</p></figcaption>", html(chart.title),
                        chart.origin.empty() ? "" : html(chart.origin) + ". ", html(chart.caption));
  }
  if (is_wide) {
    text += drawing::svg(chart, {.width = 760, .height = 380});
  }
  return text + drawing::svg(chart, {.width = 380, .height = 260}) + "</figure>\n";
}

bool is_fleet(std::span<const Report> reports) {
  std::size_t rows = 0;
  for (const auto& report : reports) {
    rows += report.size();
  }
  return rows > most_rows || origins_of(reports).size() > most_machines;
}

std::string page_of(const PageContent& content) {
  std::set<const Chart*> used;
  std::string body;
  if (is_fleet(content.reports)) {
    body = origins_of(content.reports).size() > most_machines
               ? fleet_screen(content.reports)
               : first_screen(content, used) + fleet_table(content.reports);
    body += remarks_section(content);
  } else {
    body = first_screen(content, used);
    body += questions_section(content, used) + matrices(content.reports) +
            remarks_section(content) +
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
