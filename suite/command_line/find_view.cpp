// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/find_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/text/lines.hpp"
#include "reports/text/quantity.hpp"
#include "reports/text/table.hpp"

namespace breakeven {
namespace {

using namespace std::chrono_literals;

std::size_t column_of(std::size_t size, const Axis& axis, std::size_t width) {
  const double whole = std::log(static_cast<double>(axis.high) / static_cast<double>(axis.low));
  const double part = std::log(static_cast<double>(size) / static_cast<double>(axis.low));
  return static_cast<std::size_t>(std::lround(part / whole * static_cast<double>(width - 1)));
}

char mark_of(Faster faster) {
  switch (faster) {
    case Faster::from:
      return '<';
    case Faster::to:
      return '>';
    case Faster::neither:
      return '=';
    case Faster::undecided:
      break;
  }
  return '?';
}

std::string bracket_words(const Finding& finding, const Names& names) {
  switch (finding.kind) {
    case Finding::Kind::bracket:
      return fmt::format("{} {} … {} (±{})", names.axis, finding.low(), finding.high(),
                         share_text(std::sqrt(static_cast<double>(finding.high()) /
                                              static_cast<double>(finding.low())) -
                                    1));
    case Finding::Kind::band:
      return fmt::format("band {} {} … {}", names.axis, finding.low(), finding.high());
    case Finding::Kind::none:
      return fmt::format("so far only {}", finding.winner == Faster::from ? names.from : names.to);
    case Finding::Kind::tie:
      return "so far a tie";
    case Finding::Kind::undecided:
      break;
  }
  return "so far nothing";
}

std::string winner_words(const Probe& probe, const Names& names) {
  switch (probe.faster) {
    case Faster::from:
      return names.from;
    case Faster::to:
      return names.to;
    case Faster::neither:
      return "tie";
    case Faster::undecided:
      break;
  }
  return "not decided";
}

// How much longer `to` takes: `1.43×`.
std::string ratio_words(const Probe& probe) {
  if (probe.from_ns <= 0) {
    return "";
  }
  return ratio_text(std::exp(probe.log_ratio));
}

std::string interval_words(const Probe& probe) {
  if (probe.from_ns <= 0 || !std::isfinite(probe.low) || !std::isfinite(probe.high)) {
    return "";
  }
  return fmt::format("{} … {}", ratio_text(std::exp(probe.low)), ratio_text(std::exp(probe.high)));
}

}  // namespace

std::string axis_strip(const Finding& finding, const Axis& axis, std::size_t width) {
  std::vector<std::string> cells(width, "─");
  for (const Change& change : finding.changes) {
    const std::size_t low = column_of(change.low, axis, width);
    const std::size_t high = column_of(change.high, axis, width);
    for (std::size_t i = low + 1; i < high; ++i) {
      cells[i] = "·";
    }
  }
  for (const Probe& probe : finding.probes) {
    cells[column_of(probe.size, axis, width)] = mark_of(probe.faster);
  }
  return fmt::format("{} {} {}", axis.low, fmt::join(cells, ""), axis.high);
}

std::string search_line(const Finding& so_far, const Names& names, const Axis& axis,
                        std::size_t size, double seconds, std::size_t width) {
  constexpr std::size_t shortest_strip = 12, longest_strip = 60;
  const std::string words = fmt::format("{}  at {} {}, {:.0f} s", bracket_words(so_far, names),
                                        names.axis, size, seconds);
  const std::size_t free = std::max<std::size_t>(width, 1) - 1;
  const std::size_t taken = shown_width(axis_strip({}, axis, 0)) + 2 + shown_width(words);
  if (free < taken + shortest_strip) {
    return std::string(fitting(words, free));
  }
  return axis_strip(so_far, axis, std::min(longest_strip, free - taken)) + "  " + words;
}

std::string probe_table(const Finding& finding, const Names& names, bool colour,
                        std::optional<std::size_t> width) {
  using enum Align;
  Table table({{names.axis, right},
               {names.from, right},
               {names.to, right},
               {"ratio", right},
               {"99 %", left, true},
               {"faster"}});
  for (const Probe& probe : finding.probes) {
    const bool measured = probe.from_ns > 0;
    table.add({std::to_string(probe.size), measured ? time_text(probe.from_ns) : "",
               measured ? time_text(probe.to_ns) : "", ratio_words(probe), interval_words(probe),
               Cell(winner_words(probe, names), probe.faster == Faster::undecided ? Colour::yellow
                                                : probe.faster == Faster::neither ? Colour::dim
                                                                                  : Colour::none)});
  }
  return table.terminal(colour, width);
}

FindView::FindView(std::FILE* stream, const Names& names, const Axis& axis)
    : stream_(stream), live_(is_terminal(stream)), names_(names), axis_(axis) {}

FindView::~FindView() {
  if (live_) {
    std::fputs("\r\x1b[K", stream_);  // never throws, also where the terminal is gone
    std::fflush(stream_);
  }
}

void FindView::look(const Finding& so_far, const Probe& current, bool decided, double seconds) {
  if (live_) {
    draw(so_far, current, seconds);
  } else if (decided) {
    print_line(so_far, current, seconds);
  }
}

void FindView::draw(const Finding& so_far, const Probe& current, double seconds) {
  const auto now = std::chrono::steady_clock::now();
  if (now - drawn_ < 50ms) {
    return;
  }
  drawn_ = now;
  fmt::print(stream_, "\r\x1b[K{}",
             search_line(so_far, names_, axis_, current.size, seconds,
                         terminal_columns(stream_).value_or(80)));
  std::fflush(stream_);
}

void FindView::print_line(const Finding& so_far, const Probe& current, double seconds) {
  const std::string ratio = ratio_words(current);
  fmt::print(stream_, "{:5.1f} s  {} = {}: {}{}{}; {}\n", seconds, names_.axis, current.size,
             winner_words(current, names_),
             current.reason.empty() ? "" : fmt::format(", {}", current.reason),
             ratio.empty() ? "" : fmt::format(" ({} takes {} times as long)", names_.to, ratio),
             bracket_words(so_far, names_));
  std::fflush(stream_);
}

}  // namespace breakeven
