// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/answers/headline.hpp"
#include "reports/answers/overview.hpp"
#include "reports/html/page.hpp"
#include "reports/reader/origins.hpp"
#include "reports/text/escape.hpp"
#include "reports/text/quantity.hpp"

namespace breakeven {
namespace {

using drawing::Axis;
using drawing::Chart;
using drawing::Point;

std::string fact_item(const HeadlineFact& fact, const Report& report, std::size_t index) {
  auto text = fmt::format("<div><dt>{}</dt><dd><b>{}</b>", html(fact.question),
                          linked(fact.answer, fact.rows, report, index));
  if (!fact.detail.empty()) {
    text += fmt::format("<p>{}</p>", html(fact.detail));
  }
  for (auto command : fact.commands) {
    // A page is read elsewhere, and says no folder of here.
    if (const auto at = command.find(report.path()); at != command.npos) {
      command.replace(at, report.path().size(), file_name_of(report));
    }
    text += fmt::format("<code>{}</code>", html(command));
  }
  return text + "</dd></div>\n";
}

// Where sides cross, best of square products.
const Chart* telling_chart(const std::vector<Chart>& charts, const Origin& origin,
                           const std::string& name) {
  const Chart* found = nullptr;
  int best = 0;
  for (const auto& chart : charts) {
    if (chart.report != origin.report || chart.origin != name || chart.series.empty()) {
      continue;
    }
    const bool has_band =
        std::any_of(chart.series.begin(), chart.series.end(),
                    [](const auto& series) { return series.line == drawing::Line::band; });
    const int rank = chart.case_name.empty()       ? 1
                     : chart.case_name != "matmul" ? 2
                     : has_band                    ? 4
                                                   : 3;
    if (rank > best) {
      found = &chart;
      best = rank;
    }
  }
  return found;
}

// All on one scale, so that they can be compared.
void share_scales(std::vector<Chart>& charts) {
  const auto share = [&](Axis Chart::*axis, double Point::*value) {
    double low = INFINITY, high = 0;
    for (const auto& chart : charts) {
      for (const auto& series : chart.series) {
        for (const auto& point : series.points) {
          if (series.line != drawing::Line::band && point.*value > 0) {
            low = std::min(low, point.*value);
            high = std::max(high, point.*value);
          }
        }
      }
    }
    for (auto& chart : charts) {
      (chart.*axis).low = low;
      (chart.*axis).high = high;
    }
  };
  share(&Chart::x, &Point::x);
  share(&Chart::y, &Point::y);
}

// One machine of several: its answers in short, its chart and its trust.
std::string card(const Origin& origin, const Report& report, const Chart* chart) {
  auto text = fmt::format("<article class=\"card\"><h3>{}</h3>", html(origin.name));
  const bool is_told = origin.machine == report.row(0).text(Column::machine);
  const auto headline = is_told ? headline_of(report) : Headline{};
  if (is_told) {
    text += fmt::format("<p><b>{}.</b> {}</p>", html(headline.title), html(headline.ratio));
  }
  text += chart == nullptr ? "" : figure(*chart, Frame::bare);
  if (is_told) {
    text += "<ul class=\"short\">";
    for (const auto& fact : headline.facts) {
      text += fmt::format("<li><span>{}</span> {}</li>", html(fact.question), html(fact.answer));
    }
    text += "</ul>" + trust_strip(headline.trust, headline.machine);
  }
  return text + "</article>\n";
}

}  // namespace

std::string facts_list(const Headline& headline, const Report& report, std::size_t index) {
  std::string text = "<dl class=\"facts\">\n";
  for (const auto& fact : headline.facts) {
    text += fact_item(fact, report, index);
  }
  return text + "</dl>\n";
}

std::string trust_strip(const std::vector<Trust>& trust, const std::string& machine) {
  std::string text = "<ul class=\"strip\" aria-label=\"Can it be trusted?\">";
  for (const auto& one : trust) {
    const auto* tone = one.level == Trust::Level::good   ? "good"
                       : one.level == Trust::Level::care ? "warn"
                                                         : "bad";
    const auto* mark = one.level == Trust::Level::good   ? "✓"
                       : one.level == Trust::Level::care ? "!"
                                                         : "✗";
    text += fmt::format("<li class=\"{}\"><span aria-hidden=\"true\">{}</span> {}</li>", tone, mark,
                        html(one.text));
  }
  return text + fmt::format("<li class=\"quiet\">{}</li></ul>\n", html(machine));
}

namespace {

// `5 reports`, `3 machines`
std::string counted_origins(std::span<const Report> reports, std::size_t origins) {
  return fmt::format("{} {}", origins, origins == reports.size() ? "reports" : "machines");
}

std::string crossings_table(const Crossings& crossings) {
  std::string text =
      "<h2 id=\"across\">Where it breaks even, machine by machine</h2>\n"
      "<p class=\"quiet\">From which size on which side is faster, with the bracket, and the ratio "
      "of the times at the largest size where one is established to be faster (99 %). Paired: "
      "measured in turns of "
      "milliseconds.</p>\n<div class=\"scroll\"><table class=\"crossings\"><thead><tr><th></th>";
  for (const auto& machine : crossings.machines) {
    text += "<th>" + html(machine) + "</th>";
  }
  text += "</tr></thead><tbody>\n";
  for (const auto& line : crossings.lines) {
    text += "<tr><th>" + html(line.pair) + "</th>";
    for (const auto& cell : line.cells) {
      text += cell.bracket.empty() ? "<td class=\"quiet\">not measured</td>"
                                   : fmt::format("<td>{}<br><small>{}</small></td>",
                                                 html(cell.bracket), html(cell.ratio));
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

}  // namespace

std::string linked(const std::string& text, const std::vector<std::size_t>& rows,
                   const Report& report, std::size_t index) {
  if (rows.empty()) {
    return html(text);
  }
  constexpr std::size_t most_lines = 8;
  std::string title = "Line ";
  for (std::size_t i = 0; i < rows.size() && i < most_lines; ++i) {
    title += (i == 0 ? "" : ", ") + std::to_string(report.row(rows[i]).line());
  }
  if (rows.size() > most_lines) {
    title += fmt::format(" and {} more", rows.size() - most_lines);
  }
  return fmt::format("<a href=\"#{}\" title=\"{}\">{}</a>",
                     drawing::id_of(index, report.row(rows.front())), html(title), html(text));
}

std::string first_screen(const PageContent& content, std::set<const Chart*>& used) {
  if (content.reports.empty()) {
    return "<h1>No report</h1>\n";
  }
  const auto origins = origins_of(content.reports);
  if (origins.size() <= 1) {
    const auto& report = content.reports.front();
    const auto headline = headline_of(report);
    const auto* chart = origins.empty() ? nullptr : telling_chart(content.charts, origins[0], "");
    used.insert(chart);
    return fmt::format(
        "<section id=\"answer\">\n<h1>{}</h1>\n<p class=\"sub\">{}</p>\n<div "
        "class=\"hero\">\n<div>{}{}</div>\n{}</div>\n</section>\n",
        html(headline.title), html(headline.subtitle),
        chart == nullptr ? "" : figure(*chart, Frame::wide),
        trust_strip(headline.trust, headline.machine), facts_list(headline, report, 0));
  }
  std::vector<Chart> charts;
  std::vector<const Origin*> drawn;
  for (const auto& origin : origins) {
    if (const auto* chart = telling_chart(content.charts, origin, printable(origin.name))) {
      used.insert(chart);
      charts.push_back(*chart);
      drawn.push_back(&origin);
    }
  }
  share_scales(charts);
  std::string cards;
  for (const auto& origin : origins) {
    const auto at = std::find(drawn.begin(), drawn.end(), &origin) - drawn.begin();
    cards +=
        card(origin, content.reports[origin.report],
             static_cast<std::size_t>(at) < charts.size() ? &charts[static_cast<std::size_t>(at)]
                                                          : nullptr);
  }
  const auto crossings = crossings_of(content.reports);
  return fmt::format(
             "<section id=\"answer\">\n<h1>Where it pays off: {} side by side</h1>\n<p "
             "class=\"sub\">{}</p>\n<div class=\"cards\">\n{}</div>\n",
             counted_origins(content.reports, origins.size()),
             charts.empty() ? ""
                            : html(charts.front().title + ". " + charts.front().caption +
                                   " All charts have one scale."),
             cards) +
         (crossings.lines.empty() ? "" : crossings_table(crossings)) + "</section>\n";
}

std::string matrices(std::span<const Report> reports) {
  std::string text;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const auto matrix = matrix_of(reports[i]);
    if (matrix.lines.empty()) {
      continue;
    }
    const bool folds = reports.size() > 1;
    text += folds ? fmt::format("<details><summary>{}</summary>\n", html(file_name_of(reports[i])))
                  : "";
    constexpr std::size_t most_seen = 12;
    for (std::size_t begin = 0; begin < matrix.lines.size();) {
      const auto end = begin == 0 ? std::min(most_seen, matrix.lines.size()) : matrix.lines.size();
      std::string table = "<div class=\"scroll\"><table class=\"matrix\"><thead><tr><th>Case</th>";
      for (const auto& device : matrix.devices) {
        table += "<th class=\"number\">" + html(device) + "</th>";
      }
      table += "</tr></thead><tbody>\n";
      for (std::size_t j = begin; j < end; ++j) {
        table += "<tr><th>" + html(matrix.lines[j].name) + "</th>";
        for (const auto& cell : matrix.lines[j].cells) {
          if (!cell) {
            table += "<td></td>";
            continue;
          }
          const auto heat = std::clamp(std::log10(cell->ratio) * 30, 0.0, 45.0);
          table +=
              fmt::format("<td class=\"number\" style=\"--heat:{:.0f}%\">{} <small>{}</small></td>",
                          heat, linked(relative_text(cell->ratio), cell->rows, reports[i], i),
                          time_text(cell->nanoseconds));
        }
        table += "</tr>\n";
      }
      table += "</tbody></table></div>\n";
      text += begin == 0 ? table
                         : fmt::format("<details><summary>{} more cases</summary>{}</details>\n",
                                       end - begin, table);
      begin = end;
    }
    text += folds ? "</details>\n" : "";
  }
  return text.empty()
             ? text
             : "<h2 id=\"matrix\">Cases by backends</h2>\n<p class=\"quiet\">How many times "
               "as long as the fastest, and the time. ×1.00 is the fastest. These are ratios of "
               "medians; the answers tell paired ones.</p>\n" +
                   text;
}

}  // namespace breakeven
