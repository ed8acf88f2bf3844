// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/run_table.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "suite/command_line/quantities.hpp"
#include "suite/command_line/terminal.hpp"
#include "suite/measure/rounds.hpp"

namespace breakeven {

namespace {

std::string interval_text(double median, std::optional<double> low, std::optional<double> high) {
  if (!low || !high) return "";
  const double half = std::max(*high - median, median - *low) / median;
  return fmt::format("±{:.{}f} %", half * 100, half < 0.0995 ? 1 : 0);
}

std::string rate_text(const Row& row, double median_ns) {
  if (const auto flops = row.real(Column::flops)) return format_flops(*flops / median_ns * 1e9);
  if (const auto bytes = row.real(Column::work_bytes)) return format_rate(*bytes / median_ns * 1e9);
  return "";
}

// All rounds of one case.
struct Merged {
  std::vector<const TableRow*> rounds;

  const Row& first() const { return rounds.front()->row; }
  const Row* bad() const {
    for (const TableRow* round : rounds)
      if (round->row.status() != Status::ok) return &round->row;
    return nullptr;
  }
  MergedRounds times() const {
    std::vector<std::vector<double>> medians;
    for (const TableRow* round : rounds) medians.push_back(round->visit_medians);
    return merge_rounds(medians);
  }
  bool disturbed() const { return disturbed_visits() > 0; }
  std::int64_t disturbed_visits() const {
    std::int64_t visits = 0;
    for (const TableRow* round : rounds)
      visits += round->row.integer(Column::disturbed).value_or(0);
    return visits;
  }
};

std::string heading_of(const Row& row) {
  std::string text =
      row.text(Column::case_name) + "  " +
      (row.text(Column::math) == "native" ? row.text(Column::type) : row.text(Column::math));
  if (row.is_known(Column::mode)) text += "  " + row.text(Column::mode);
  return text;
}

// What is left of the name when case, device, type and mode are said elsewhere.
std::string sizes_of(const Row& row) {
  std::string_view name = row.text(Column::name);
  for (int parts = 0; parts < 4; ++parts) {
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos) return "";
    name.remove_prefix(slash + 1);
  }
  std::string sizes(name);
  std::replace(sizes.begin(), sizes.end(), '/', ' ');
  return sizes;
}

Style style_of(Status status) {
  return status == Status::ok                                               ? Style::green
         : status == Status::unsupported || status == Status::unavailable   ? Style::dim
         : status == Status::over_budget || status == Status::out_of_memory ? Style::yellow
                                                                            : Style::red;
}

std::vector<std::string> cells_of(const Merged& merged, const std::string& sizes, bool colour) {
  const Row& row = merged.first();
  std::vector<std::string> cells = {"  " + sizes, row.text(Column::device), "", "", "", "", ""};
  if (const Row* bad = merged.bad()) {
    const Status status = bad->status().value_or(Status::failed);
    cells.back() =
        styled(name(status), style_of(status), colour) + ": " + bad->text(Column::reason);
    return cells;
  }
  const MergedRounds times = merged.times();
  const double middle = times.median_ns;
  cells[2] = styled(format_time(middle), Style::bold, colour);
  if (times.low_ns > 0) cells[3] = interval_text(middle, times.low_ns, times.high_ns);
  cells[4] = rate_text(row, middle);
  if (const auto share = row.real(Column::ceiling_share))
    cells[5] = fmt::format("{} of {}", format_share(*share), row.text(Column::ceiling_source));
  cells[6] = styled("verified", Style::green, colour);
  if (row.text(Column::stop_reason) == "budget")
    cells[6] += styled(" (budget)", Style::yellow, colour);
  if (merged.disturbed()) cells[6] += styled(" (disturbed)", Style::yellow, colour);
  return cells;
}

// One line on noise, and one on what the intervals stand on.
std::string cautions(const std::map<std::string, Merged>& cases, bool colour) {
  std::size_t measured = 0, disturbed = 0;
  std::map<std::string, std::size_t> causes;
  std::string caution;
  for (const auto& [name, merged] : cases) {
    if (merged.bad()) continue;
    ++measured;
    if (const std::string own = merged.times().caution; !own.empty()) caution = own;
    if (!merged.disturbed()) continue;
    ++disturbed;
    for (const TableRow* round : merged.rounds) {
      std::istringstream kinds(round->row.text(Column::disturbances));
      for (std::string kind; std::getline(kinds >> std::ws, kind, ',');)
        ++causes[kind.substr(0, kind.find(' '))];
    }
  }
  std::string text;
  if (disturbed > 0) {
    const auto meaning = [](const std::string& kind) {
      return kind == "kernel"  ? "other work on the processor"
             : kind == "steal" ? "the host took processor time"
                               : kind;
    };
    std::vector<std::string> said;
    for (const auto& [kind, count] : causes) said.push_back(meaning(kind));
    text += styled(
        fmt::format("{} of {} cases disturbed: {}\n", disturbed, measured, fmt::join(said, ", ")),
        Style::yellow, colour);
  }
  if (!caution.empty()) text += styled(caution + '\n', Style::dim, colour);
  return text;
}

}  // namespace

std::string row_line(const Row& row) {
  const Status status = row.status().value_or(Status::failed);
  if (status != Status::ok) return fmt::format("{}: {}", name(status), row.text(Column::reason));
  const auto middle = row.real(Column::median_ns);
  if (!middle) return "";
  std::string line = fmt::format(
      "{} {}", format_time(*middle),
      interval_text(*middle, row.real(Column::median_low_ns), row.real(Column::median_high_ns)));
  if (const std::string rate = rate_text(row, *middle); !rate.empty()) line += "  " + rate;
  if (const auto share = row.real(Column::ceiling_share))
    line += fmt::format("  {} of {}", format_share(*share), row.text(Column::ceiling_source));
  return line + "  verified";
}

std::string run_table(std::span<const TableRow> rows, bool colour) {
  // In the order of first appearance by heading and sizes, so that backends stand together.
  std::vector<std::string> headings;
  std::map<std::string, std::vector<std::string>> sizes_by_heading;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> devices;
  std::map<std::string, Merged> cases;
  std::map<std::pair<std::string, std::string>, std::size_t> impossible;
  for (const TableRow& measured : rows) {
    const Row& row = measured.row;
    const auto status = row.status();
    if (status == Status::unavailable || status == Status::unsupported) {
      ++impossible[{fmt::format("{} {}", row.text(Column::device), name(*status)),
                    row.text(Column::reason)}];
      continue;
    }
    const std::string heading = heading_of(row), sizes = sizes_of(row);
    Merged& merged = cases[row.text(Column::name)];
    if (merged.rounds.empty()) {
      if (!sizes_by_heading.contains(heading)) headings.push_back(heading);
      auto& known = sizes_by_heading[heading];
      if (std::find(known.begin(), known.end(), sizes) == known.end()) known.push_back(sizes);
      devices[{heading, sizes}].push_back(row.text(Column::name));
    }
    merged.rounds.push_back(&measured);
  }

  using enum TextTable::Align;
  TextTable table({left, left, right, right, right, right, left});
  for (const std::string& heading : headings) {
    table.add_heading(styled(heading, Style::bold, colour));
    for (const std::string& sizes : sizes_by_heading[heading]) {
      bool first = true;
      for (const std::string& name : devices[{heading, sizes}])
        table.add(cells_of(cases[name], std::exchange(first, false) ? sizes : "", colour));
    }
  }
  std::string text = table.text();
  if (!impossible.empty()) text += '\n';
  for (const auto& [what, count] : impossible)
    text += styled(fmt::format("{}: {} ({} {})\n", what.first, what.second, count,
                               count == 1 ? "case" : "cases"),
                   Style::dim, colour);
  return text + cautions(cases, colour);
}

}  // namespace breakeven
