// SPDX-License-Identifier: Apache-2.0
// One page that needs nothing else: what changed, and every case over its runs.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/charts/svg.hpp"
#include "reports/history/formats.hpp"
#include "reports/html/assets.hpp"
#include "reports/html/page.hpp"
#include "reports/statistics/order_statistics.hpp"
#include "reports/text/escape.hpp"
#include "reports/text/quantity.hpp"

namespace breakeven::history {
namespace {

constexpr std::size_t most_charts = 300;

using Changes = std::map<std::size_t, std::vector<const Change*>>;  // by series, in order

Changes by_series(const Findings& findings) {
  Changes changes;
  for (const auto& step : findings.steps) {
    for (const auto& change : step.changes) {
      changes[change.series].push_back(&change);
    }
  }
  for (auto& [series, list] : changes) {
    std::sort(list.begin(), list.end(),
              [](const Change* a, const Change* b) { return a->first < b->first; });
  }
  return changes;
}

std::string id_of(std::size_t series) {
  return fmt::format("case-{}", series);
}

// The median between two changes, as a line from its first point to its last.
void add_level(const Series& series, std::size_t begin, std::size_t end, drawing::Series& levels) {
  std::vector<double> times;
  for (std::size_t i = begin; i < end; ++i) {
    if (series.points[i].has_time()) {
      times.push_back(series.points[i].median_ns * 1e-9);
    }
  }
  if (times.empty()) {
    return;
  }
  const double y = median(times);
  for (const auto x : {begin + 1, end}) {
    levels.points.push_back({static_cast<double>(x), y, y, y});
  }
}

std::string chart_of(const History& history, std::size_t index,
                     const std::vector<const Change*>& changes) {
  const auto& series = history.series[index];
  drawing::Series times{"a run", 0, drawing::Line::none, {}},
      levels{"median between changes", 1, drawing::Line::solid, {}};
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    if (series.points[i].has_time()) {
      const double y = series.points[i].median_ns * 1e-9;
      times.points.push_back({static_cast<double>(i + 1), y, y, y, {}, series.points[i].utc});
    }
  }
  std::size_t begin = 0;
  std::string caption;
  for (const auto* change : changes) {
    add_level(series, begin, change->first, levels);
    begin = change->first;
    caption += fmt::format("{}{} from run {} on ({})", caption.empty() ? "" : "; ",
                           times_text(change->effect.ratio), change->first + 1,
                           series.points[change->first].utc);
  }
  add_level(series, begin, series.points.size(), levels);
  const drawing::Chart chart{id_of(index),
                             printable(series.machine + ": " + series.name),
                             caption.empty() ? "no change" : caption,
                             {"run", "", drawing::Scale::linear},
                             {"time", "s", drawing::Scale::linear},
                             {std::move(times), std::move(levels)}};
  return figure(chart);
}

std::string step_item(const History& history, const Step& step) {
  const bool slower = std::any_of(step.changes.begin(), step.changes.end(),
                                  [](const Change& change) { return change.is_slower(); });
  auto text = fmt::format("<li class=\"{}\">{}", slower ? "bad" : "good",
                          html(start_of(history, step.changes.front())));
  for (const auto& change : step.changes) {
    text += fmt::format("<br><a href=\"#{}\">{}</a>: {}", id_of(change.series),
                        html(history.series[change.series].name), html(size_of(change)));
  }
  for (const auto& difference : step.differences) {
    text += "<br><span class=\"quiet\">changed there: " + html(difference) + "</span>";
  }
  for (const auto& difference : step.differences_nearby) {
    text += "<br><span class=\"quiet\">changed nearby: " + html(difference) + "</span>";
  }
  return text + "</li>\n";
}

}  // namespace

std::string as_page(const History& history, const Findings& findings, const Options& options) {
  std::string body = "<main>\n<h1>History</h1>\n<p class=\"quiet\">" + html(summary(history)) +
                     "</p>\n<ul class=\"verdicts\">\n";
  for (const auto& loss : findings.losses) {
    body += "<li class=\"bad\">" + html(told(history, loss)) + "</li>\n";
  }
  for (const auto& step : findings.steps) {
    body += step_item(history, step);
  }
  body += findings.steps.empty() ? "<li class=\"good\">No case changed.</li>\n" : "";
  body += "</ul>\n<p class=\"quiet\">" + html(limits(findings, options)) + "</p>\n";
  const auto changes = by_series(findings);
  std::vector<std::size_t> order;
  for (const auto& [series, list] : changes) {
    order.push_back(series);
  }
  for (std::size_t i = 0; i < history.series.size(); ++i) {
    if (!changes.contains(i)) {
      order.push_back(i);
    }
  }
  body += "<h2 id=\"charts\">Every case over its runs</h2>\n<div class=\"charts\">\n";
  for (std::size_t i = 0; i < std::min(order.size(), most_charts); ++i) {
    const auto known = changes.find(order[i]);
    body += chart_of(history, order[i],
                     known == changes.end() ? std::vector<const Change*>() : known->second);
  }
  body += "</div>\n";
  if (order.size() > most_charts) {
    body +=
        fmt::format("<p class=\"quiet\">{} more cases did not change; --filter shows them.</p>\n",
                    order.size() - most_charts);
  }
  return page_around("Breakeven: history", body + "</main>\n",
                     "<script>" + std::string(assets::charts) + "</script>\n");
}

}  // namespace breakeven::history
