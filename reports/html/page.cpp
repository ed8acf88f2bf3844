// SPDX-License-Identifier: Apache-2.0
#include "reports/html/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>

#include "reports/html/assets.hpp"
#include "reports/html/escape.hpp"

namespace breakeven {
namespace {

using drawing::Axis;
using drawing::Chart;
using drawing::Line;
using drawing::Scale;
using nlohmann::json;

std::string links(const std::vector<std::string>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += fmt::format("{}<a href=\"#{}\">{}</a>", i == 0 ? " Rows " : ", ", html(rows[i]), i + 1);
  }
  return text.empty() ? text : "<span class=\"quiet\">" + text + "</span>";
}

// Every number links to the first of its rows, and says how many there are.
std::string part_of_answer(const AnswerPart& part, const Report& report, std::size_t index) {
  const std::string line = part.begins_line ? "<br>" : "";
  if (part.rows.empty()) {
    return line + html(part.text);
  }
  std::string title = "Line ";
  for (std::size_t i = 0; i < part.rows.size() && i < 8; ++i) {
    title += (i == 0 ? "" : ", ") + std::to_string(report.row(part.rows[i]).line());
  }
  title += part.rows.size() > 8 ? fmt::format(" and {} more", part.rows.size() - 8) : "";
  return fmt::format("{}<a href=\"#{}\" title=\"{}\">{}</a>", line,
                     drawing::id_of(index, report.row(part.rows.front())), html(title),
                     html(part.text));
}

bool is_answered(const Answer& answer) {
  return answer.is_answered;
}

std::string list_of_answers(const std::vector<Answer>& answers, bool answered, const Report& report,
                            std::size_t index) {
  std::string text;
  for (const auto& answer : answers) {
    if (answer.is_answered != answered) {
      continue;
    }
    text +=
        fmt::format("<li><b>{}{}</b>", answer.machine.empty() ? "" : html(answer.machine) + ": ",
                    html(answer.question));
    for (const auto& part : answer.parts) {
      text += part_of_answer(part, report, index);
    }
    text += "</li>\n";
  }
  return text.empty() ? text : "<ul class=\"answers\">\n" + text + "</ul>\n";
}

std::string answers_section(const PageContent& content) {
  std::string text = "<h2 id=\"answers\">Answers</h2>\n";
  for (std::size_t i = 0; i < content.answers.size(); ++i) {
    const auto& report = content.reports[i];
    if (content.answers.size() > 1) {
      text += "<h3>" + html(report.path()) + "</h3>\n";
    }
    const auto& all = content.answers[i];
    const auto answered = std::count_if(all.begin(), all.end(), is_answered);
    text += list_of_answers(all, true, report, i);
    if (const auto rest = static_cast<std::ptrdiff_t>(all.size()) - answered; rest > 0) {
      text += fmt::format(
          "<details class=\"quiet\"{}><summary>{} {} not answered by this "
          "report</summary>\n{}</details>\n",
          answered == 0 ? " open" : "", rest, rest == 1 ? "question is" : "questions are",
          list_of_answers(all, false, report, i));
    }
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

std::string_view name_of(Line line) {
  switch (line) {
    case Line::solid:
      return "solid";
    case Line::dashed:
      return "dashed";
    case Line::dotted:
      return "dotted";
    case Line::band:
      return "band";
  }
  return "solid";
}

json axis_json(const Axis& axis) {
  return {{"label", axis.label},
          {"unit", axis.unit},
          {"scale", axis.scale == Scale::linear ? "linear" : "logarithmic"}};
}

json chart_json(const Chart& chart) {
  json series = json::array();
  for (const auto& line : chart.series) {
    json points = json::array();
    for (const auto& point : line.points) {
      json entry{{"x", point.x}, {"y", point.y}};
      if (!point.row.empty()) {
        entry["row"] = point.row;
        entry["low"] = point.low;
        entry["high"] = point.high;
      }
      points.push_back(std::move(entry));
    }
    series.push_back({{"label", printable(line.label)},
                      {"colour", line.colour},
                      {"line", name_of(line.line)},
                      {"points", std::move(points)}});
  }
  return {{"x", axis_json(chart.x)},
          {"y", axis_json(chart.y)},
          {"categories", chart.categories},
          {"series", std::move(series)}};
}

std::string charts_section(const std::vector<Chart>& charts) {
  if (charts.empty()) {
    return "";
  }
  std::string text = "<h2 id=\"charts\">Charts</h2>\n";
  if (assets::chart_js.empty()) {
    return text +
           "<p class=\"warn\">This program was built without Chart.js, so this report has "
           "tables only; `breakeven report --svg DIR` draws the charts.</p>\n";
  }
  text +=
      "<noscript><p class=\"warn\">The charts need scripts; every number is also in the tables "
      "below.</p></noscript>\n<div class=\"charts\">\n";
  json data = json::array();
  for (const auto& chart : charts) {
    text += fmt::format(
        "<figure class=\"chart\" id=\"{}\"><h3>{}</h3><p>{}</p>"
        "<div><canvas data-chart=\"{}\" role=\"img\" aria-label=\"{}\"></canvas>"
        "</div></figure>\n",
        html(chart.id), html(chart.title), html(chart.caption), data.size(), html(chart.title));
    data.push_back(chart_json(chart));
  }
  const auto dumped = data.dump(-1, ' ', false, json::error_handler_t::replace);
  return text + "</div>\n<script type=\"application/json\" id=\"chart-data\">" +
         json_for_script(dumped) + "</script>\n";
}

std::string scripts(bool has_charts) {
  std::string text;
  if (has_charts && !assets::chart_js.empty()) {
    text +=
        fmt::format("<script>{}</script>\n<script>{}</script>\n", assets::chart_js, assets::charts);
  }
  return text + fmt::format("<script>{}</script>\n", assets::table);
}

std::string title_of(std::span<const Report> reports) {
  std::set<std::string> machines;
  for (const auto& report : reports) {
    machines.insert(report.machines().begin(), report.machines().end());
  }
  std::string text = "Break-even report";
  for (const auto& machine : machines) {
    text += (text == "Break-even report" ? ": " : ", ") + machine;
  }
  return text;
}

}  // namespace

std::string page_of(const PageContent& content) {
  const auto title = html(title_of(content.reports));
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
         "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n<title>" +
         title + "</title>\n<style>" + std::string(assets::style) +
         "</style>\n</head>\n<body>\n<main>\n<h1>" + title +
         "</h1>\n<p class=\"quiet\">Measured, verified and written by Breakeven.</p>\n" +
         answers_section(content) + remarks_section(content.remarks) +
         charts_section(content.charts) + "<h2 id=\"machines\">Machines</h2>\n" +
         machines_table(content.reports) + "<h2 id=\"all-rows\">All rows</h2>\n" +
         rows_table(content.reports) + "</main>\n" + scripts(!content.charts.empty()) +
         "</body>\n</html>\n";
}

}  // namespace breakeven
