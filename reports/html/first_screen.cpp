// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reports/answers/headline.hpp"
#include "reports/answers/overview.hpp"
#include "reports/html/page.hpp"
#include "reports/text/escape.hpp"
#include "reports/text/quantity.hpp"

namespace breakeven {
namespace {

std::string fact_item(const HeadlineFact& fact, const Report& report, std::size_t index) {
  auto text = fmt::format("<div><dt>{}</dt><dd><b>{}</b>", html(fact.question),
                          linked(fact.answer, fact.rows, report, index));
  if (!fact.detail.empty()) {
    text += fmt::format("<p>{}</p>", html(fact.detail));
  }
  for (const auto& command : fact.commands) {
    text += fmt::format("<code>{}</code>", html(command));
  }
  return text + "</dd></div>\n";
}

std::string facts_list(const Headline& headline, const Report& report, std::size_t index) {
  std::string text = "<dl class=\"facts\">\n";
  for (const auto& fact : headline.facts) {
    text += fact_item(fact, report, index);
  }
  return text + "</dl>\n";
}

std::string trust_strip(const Headline& headline) {
  std::string text = "<ul class=\"strip\" aria-label=\"Can it be trusted?\">";
  for (const auto& one : headline.trust) {
    const auto* tone = one.level == Trust::Level::good   ? "good"
                       : one.level == Trust::Level::care ? "warn"
                                                         : "bad";
    const auto* mark = one.level == Trust::Level::good   ? "✓"
                       : one.level == Trust::Level::care ? "!"
                                                         : "✗";
    text += fmt::format("<li class=\"{}\"><span aria-hidden=\"true\">{}</span> {}</li>", tone, mark,
                        html(one.text));
  }
  return text + fmt::format("<li class=\"quiet\">{}</li></ul>\n", html(headline.machine));
}

// Of many machines: how many break even where, those of the rarer kinds by name.
std::string crossings_counts(const Crossings& crossings) {
  std::string text =
      "<h2 id=\"across\">Where it breaks even</h2>\n<div class=\"scroll\"><table "
      "class=\"crossings\"><thead><tr>"
      "<th></th><th>Faster</th><th "
      "class=\"number\">Machines</th><th>Which</th></tr></thead><tbody>\n";
  for (const auto& line : crossings.lines) {
    std::map<std::string, std::vector<std::string>> machines;
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      if (!line.cells[i].bracket.empty()) {
        machines[line.cells[i].bracket].push_back(crossings.machines[i]);
      }
    }
    for (const auto& [bracket, names] : machines) {
      constexpr std::size_t most_named = 6;
      std::string which;
      for (std::size_t i = 0; i < names.size() && names.size() <= most_named; ++i) {
        which += (i == 0 ? "" : ", ") + names[i];
      }
      text +=
          fmt::format("<tr><th>{}</th><td>{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
                      html(line.pair), html(bracket), names.size(), html(which));
    }
  }
  return text + "</tbody></table></div>\n";
}

std::string crossings_table(const Crossings& crossings) {
  constexpr std::size_t most_columns = 8;
  if (crossings.machines.size() > most_columns) {
    return crossings_counts(crossings);
  }
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

std::string first_screen(const PageContent& content, const drawing::Chart* chart) {
  if (content.reports.empty()) {
    return "<h1>No report</h1>\n";
  }
  const auto crossings = crossings_of(content.reports);
  const auto headline = headline_of(content.reports.front());
  const bool is_one = crossings.machines.size() <= 1;
  auto text =
      fmt::format("<section id=\"answer\">\n<h1>{}</h1>\n<p class=\"sub\">{}</p>\n",
                  html(is_one ? headline.title
                              : fmt::format("Where it pays off: {} reports side by side",
                                            crossings.machines.size())),
                  html(is_one ? headline.subtitle : "Square f32 products, data already in place."));
  text += "<div class=\"hero\">\n<div>" + (chart == nullptr ? "" : figure(*chart, true));
  if (is_one) {
    text += trust_strip(headline) + "</div>\n" + facts_list(headline, content.reports.front(), 0);
    return text + "</div>\n</section>\n";
  }
  constexpr std::size_t most_told = 8;
  std::string titles, details;
  for (std::size_t i = 0; i < std::min(most_told, content.reports.size()); ++i) {
    const auto one = headline_of(content.reports[i]);
    const auto path = html(content.reports[i].path());
    titles += fmt::format("<div><dt>{}</dt><dd><b>{}</b><p>{}</p></dd></div>\n", path,
                          html(one.title), html(one.ratio));
    details += fmt::format("<details><summary>{}: all answers</summary>\n{}{}</details>\n", path,
                           facts_list(one, content.reports[i], i), trust_strip(one));
  }
  return text + "</div>\n<dl class=\"facts\">\n" + titles + "</dl></div>\n" +
         (crossings.lines.empty() ? "" : crossings_table(crossings)) + details + "</section>\n";
}

std::string matrices(std::span<const Report> reports) {
  std::string text;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const auto matrix = matrix_of(reports[i]);
    if (matrix.lines.empty()) {
      continue;
    }
    if (reports.size() > 1) {
      text += "<h3>" + html(reports[i].path()) + "</h3>\n";
    }
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
  }
  return text.empty()
             ? text
             : "<h2 id=\"matrix\">Cases by backends</h2>\n<p class=\"quiet\">How many times "
               "as long as the fastest, and the time. ×1.00 is the fastest. These are ratios of "
               "medians; the answers tell paired ones.</p>\n" +
                   text;
}

}  // namespace breakeven
