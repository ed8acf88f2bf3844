// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "reports/history/formats.hpp"
#include "reports/statistics/change_points.hpp"
#include "reports/text/quantity.hpp"
#include "reports/text/table.hpp"

namespace breakeven::history {
namespace {

constexpr std::size_t most_of_a_step = 12;  // cases that are named one by one

std::string number_of(std::size_t n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

class Text {
 public:
  Text(const Lines& lines, bool in_colour) : lines_(lines), in_colour_(in_colour) {}

  void add(const std::string& text, std::size_t indent = 0, Colour colour = Colour::none) {
    text_ += coloured(lines_.wrapped(text, indent), colour, in_colour_) + "\n";
  }
  std::string take() { return std::move(text_); }

 private:
  const Lines& lines_;
  bool in_colour_;
  std::string text_;
};

void add(const History& history, const Step& step, Text& text) {
  const auto slower = static_cast<std::size_t>(
      std::count_if(step.changes.begin(), step.changes.end(),
                    [](const Change& change) { return change.is_slower(); }));
  const auto faster = step.changes.size() - slower;
  text.add(fmt::format("{}{}{} {}", slower > 0 ? number_of(slower, "case") + " slower" : "",
                       slower > 0 && faster > 0 ? ", " : "",
                       faster > 0 ? number_of(faster, "case") + " faster" : "",
                       start_of(history, step.changes.front())),
           0, slower > 0 ? Colour::red : Colour::green);
  for (std::size_t i = 0; i < std::min(step.changes.size(), most_of_a_step); ++i) {
    const auto& change = step.changes[i];
    text.add(printable(history.series[change.series].name) + ": " + size_of(change), 2);
  }
  if (step.changes.size() > most_of_a_step) {
    text.add(fmt::format("and {}", number_of(step.changes.size() - most_of_a_step, "more case")),
             2);
  }
  for (const auto& difference : step.differences) {
    text.add("changed there: " + difference, 4);
  }
  for (const auto& difference : step.differences_nearby) {
    text.add("changed nearby: " + difference, 4);
  }
  if (step.differences.empty() && step.differences_nearby.empty()) {
    text.add("nothing that the reports tell changed there", 4, Colour::dim);
  }
}

}  // namespace

std::string summary(const History& history) {
  return fmt::format("{}, {} from {} to {}, {}", number_of(history.machines, "machine"),
                     number_of(history.runs, "run"), history.first_utc, history.last_utc,
                     number_of(history.series.size(), "case"));
}

std::string start_of(const History& history, const Change& change) {
  const auto& series = history.series[change.series];
  const auto& point = series.points[change.first];
  return fmt::format("on {} from {} on ({}run {})", printable(series.machine), point.utc,
                     point.label == point.run_id ? "" : point.label + ", ", point.run_id);
}

std::string size_of(const Change& change) {
  return fmt::format("{} [{:.3f}, {:.3f}], {} before, {} in the {} since",
                     times_text(change.effect.ratio), change.effect.low, change.effect.high,
                     time_text(change.before_ns), time_text(change.after_ns),
                     number_of(change.points, "run"));
}

std::string told(const History& history, const Loss& loss) {
  const auto& series = history.series[loss.series];
  const auto& last = series.points.back();
  return fmt::format("{} {} on {} since {}{}", printable(series.name), name(last.worst),
                     printable(series.machine), series.points[loss.first].utc,
                     last.reason.empty() || last.reason == unknown ? "" : ": " + last.reason);
}

std::string limits(const Findings& findings, const Options& options) {
  if (findings.judged == 0) {
    return fmt::format(
        "Nothing is judged: that takes {} runs of a case, and the longest series has {}.",
        ChangePoints::fewest_values, findings.longest);
  }
  auto text = fmt::format(
      "{} judged together: of the runs in which nothing changes one in {:.0f} "
      "names anything. A change of less than {:g} % is not told.",
      fmt::format("{} series", findings.judged), 1 / alarms_per_run, options.least * 100);
  return findings.too_short == 0
             ? text
             : text + fmt::format(" Another {} with fewer than {} runs.", findings.too_short,
                                  ChangePoints::fewest_values);
}

std::string as_text(const History& history, const Findings& findings, const Options& options,
                    const Lines& lines, bool in_colour) {
  Text text(lines, in_colour);
  text.add(summary(history), 0, Colour::dim);
  for (const auto& loss : findings.losses) {
    text.add(told(history, loss), 0, Colour::red);
  }
  for (const auto& step : findings.steps) {
    add(history, step, text);
  }
  if (findings.steps.empty() && findings.judged > 0) {
    text.add(
        options.since.empty() ? "No case changed." : "No case changed since " + options.since + ".",
        0, Colour::green);
  }
  text.add(limits(findings, options), 0, Colour::dim);
  return text.take();
}

}  // namespace breakeven::history
