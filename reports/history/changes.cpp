// SPDX-License-Identifier: Apache-2.0
#include "reports/history/changes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "reports/schema/severity.hpp"
#include "reports/statistics/change_points.hpp"
#include "reports/statistics/order_statistics.hpp"

namespace breakeven::history {
namespace {

using comparison::Contexts;
using comparison::Difference;

constexpr std::size_t most_points = 400;  // of a series that are judged: the newest

std::string text_of(const Difference& difference) {
  const auto& values = difference.values;
  return printable(fmt::format("{}: {} -> {}", difference.what, fmt::join(values[0], " or "),
                               fmt::join(values[1], " or ")));
}

std::vector<std::string> differences_at(const Contexts& contexts, const Series& series,
                                        std::size_t first) {
  const std::vector<comparison::UsedContexts> sides{{{"", series.points[first - 1].contexts}},
                                                    {{"", series.points[first].contexts}}};
  std::vector<std::string> texts;
  for (const auto& difference : comparison::differences(contexts, sides)) {
    texts.push_back(text_of(difference));
  }
  return texts;
}

class Finder {
 public:
  Finder(const History& history, const Options& options)
      : history_(history),
        options_(options),
        points_(alarms_per_run / static_cast<double>(std::max<std::size_t>(1, judged_series())),
                std::log1p(options.least)) {}

  Findings find() {
    for (std::size_t i = 0; i < history_.series.size(); ++i) {
      look_for_loss(i);
      look_for_changes(i);
    }
    for (auto& [start, step] : steps_) {
      std::sort(step.changes.begin(), step.changes.end(), [](const Change& a, const Change& b) {
        return std::abs(std::log(a.effect.ratio)) > std::abs(std::log(b.effect.ratio));
      });
      explain(step);
      findings_.steps.push_back(std::move(step));
    }
    std::reverse(findings_.steps.begin(), findings_.steps.end());
    return std::move(findings_);
  }

 private:
  // Places of the points that have a time, the newest of them.
  static std::vector<std::size_t> timed(const Series& series) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < series.points.size(); ++i) {
      if (series.points[i].has_time()) {
        places.push_back(i);
      }
    }
    if (places.size() > most_points) {
      places.erase(places.begin(), places.end() - most_points);
    }
    return places;
  }

  std::size_t judged_series() const {
    return static_cast<std::size_t>(std::count_if(
        history_.series.begin(), history_.series.end(),
        [](const Series& series) { return timed(series).size() >= ChangePoints::fewest_values; }));
  }

  bool is_recent(const Point& point) const { return point.utc >= options_.since; }

  void look_for_loss(std::size_t index) {
    const auto& points = history_.series[index].points;
    auto first = points.size();
    while (first > 0 && !points[first - 1].has_time()) {
      --first;
    }
    const bool is_fault =
        first < points.size() && severity(points.back().worst) >= severity(Status::unavailable);
    if (first > 0 && is_fault && is_recent(points[first])) {
      findings_.losses.push_back({index, first});
    }
  }

  void look_for_changes(std::size_t index) {
    const auto& series = history_.series[index];
    const auto places = timed(series);
    findings_.longest = std::max(findings_.longest, places.size());
    if (places.size() < ChangePoints::fewest_values) {
      ++findings_.too_short;
      return;
    }
    ++findings_.judged;
    std::vector<double> times, logarithms;
    for (const auto place : places) {
      times.push_back(series.points[place].median_ns);
      logarithms.push_back(std::log(times.back()));
    }
    const auto found = points_.of(logarithms);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto begin = i == 0 ? 0 : found[i - 1].first;
      const auto first = found[i].first;
      const auto end = i + 1 == found.size() ? times.size() : found[i + 1].first;
      const auto& start = series.points[places[first]];
      if (!is_recent(start)) {
        continue;
      }
      const std::span all(times);
      const auto before = all.subspan(begin, first - begin),
                 after = all.subspan(first, end - first);
      Change change{index,           places[first],
                    end - first,     median(before),
                    median(after),   welch_log_ratio(before, after).value_or(Effect{}),
                    found[i].p_value};
      steps_[{start.utc, series.machine, start.label}].changes.push_back(change);
    }
  }

  void explain(Step& step) const {
    const auto& change = step.changes.front();
    const auto& series = history_.series[change.series];
    step.differences = differences_at(history_.contexts, series, change.first);
    if (!step.differences.empty()) {
      return;
    }
    for (const int away : {-1, 1, -2, 2}) {
      const auto place = static_cast<std::ptrdiff_t>(change.first) + away;
      if (place < 1 || place >= static_cast<std::ptrdiff_t>(series.points.size())) {
        continue;
      }
      const auto at = static_cast<std::size_t>(place);
      for (const auto& text : differences_at(history_.contexts, series, at)) {
        step.differences_nearby.push_back(
            fmt::format("{} ({}): {}", series.points[at].label, series.points[at].utc, text));
      }
    }
  }

  const History& history_;
  const Options& options_;
  ChangePoints points_;
  Findings findings_;
  std::map<std::tuple<std::string, std::string, std::string>, Step> steps_;  // by time
};

}  // namespace

bool Findings::is_worse() const {
  return !losses.empty() || std::any_of(steps.begin(), steps.end(), [](const Step& step) {
    return std::any_of(step.changes.begin(), step.changes.end(),
                       [](const Change& change) { return change.is_slower(); });
  });
}

Findings changes(const History& history, const Options& options) {
  return Finder(history, options).find();
}

}  // namespace breakeven::history
