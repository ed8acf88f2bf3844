// SPDX-License-Identifier: Apache-2.0
#include "suite/command_line/run_table.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/schema/samples.hpp"
#include "reports/statistics/order_statistics.hpp"
#include "reports/text/lines.hpp"
#include "reports/text/quantity.hpp"
#include "reports/text/table.hpp"
#include "suite/measure/rounds.hpp"

namespace breakeven {

namespace {

std::string heading_of(const Row& row) {
  const Column type = row.text(Column::math) == "native" ? Column::type : Column::math;
  return fmt::format("{}  {}  {}", row.text(Column::case_name), row.text(type),
                     row.text(Column::mode));
}

// What is left of the name when case, device, type and mode are said elsewhere.
std::string sizes_of(std::string_view name) {
  for (int parts = 0; parts < 4; ++parts) {
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos) return "";
    name.remove_prefix(slash + 1);
  }
  std::string sizes(name);
  std::replace(sizes.begin(), sizes.end(), '/', ' ');
  return sizes;
}

std::string known(const Row& row, Column column) {
  return row.is_known(column) ? row.text(column) : std::string();
}

// What the mode adds, without the times behind it; first what takes the worth from any time.
std::string notes_of(const Row& row) {
  std::string notes;
  const Pairs facts = parse_pairs(row.text(Column::device_facts)).value_or(Pairs{});
  if (std::find(facts.begin(), facts.end(), Pairs::value_type("logical", "yes")) != facts.end())
    notes = "logical devices: no speed-up";
  for (const auto& [key, value] : parse_pairs(row.text(Column::details)).value_or(Pairs{}))
    if (!key.ends_with("_ns") && !key.ends_with("_device") && !key.ends_with("audits"))
      notes += fmt::format("{}{}={}", notes.empty() ? "" : " ", key, value);
  return notes;
}

// All rounds of one case.
struct Merged {
  std::vector<const TableRow*> rounds;

  const TableRow& first() const { return *rounds.front(); }
  const TableRow* bad() const {
    for (const TableRow* round : rounds)
      if (round->status != Status::ok) return round;
    return nullptr;
  }
  MergedRounds times() const {
    std::vector<std::vector<double>> medians;
    for (const TableRow* round : rounds) medians.push_back(round->visit_medians);
    return merge_rounds(medians);
  }
  // The median of the rounds.
  std::optional<double> ceiling_share() const {
    std::vector<double> shares;
    for (const TableRow* round : rounds)
      if (round->ceiling_share) shares.push_back(*round->ceiling_share);
    return shares.empty() ? std::nullopt : std::optional(median(shares));
  }
  bool disturbed() const {
    return std::any_of(rounds.begin(), rounds.end(),
                       [](const TableRow* round) { return round->disturbed_visits > 0; });
  }
};

// Stands where an interval would: so few visits have none.
std::string visits_text(std::size_t visits) {
  return fmt::format("{} {}", visits, visits == 1 ? "visit" : "visits");
}

std::string rate_of(const TableRow& row, double median_ns) {
  if (row.rate_unit.empty()) return "";
  const double rate = row.work / median_ns * 1e9;
  return rate_text(rate, row.rate_unit == "flop" ? "FLOP/s" : "B/s");
}

std::string share_of(std::optional<double> share, const TableRow& row) {
  if (share) return fmt::format("{} of {}", share_text(*share), row.ceiling_source);
  return row.rate_unit.empty() ? "" : "no ceiling";
}

Colour colour_of(Status status) {
  switch (status) {
    case Status::ok:
      return Colour::green;
    case Status::unsupported:
    case Status::unavailable:
      return Colour::dim;
    case Status::over_budget:
    case Status::out_of_memory:
    case Status::abandoned:
      return Colour::yellow;
    default:
      return Colour::red;
  }
}

std::vector<Cell> cells_of(const Merged& merged, const std::string& sizes, bool colour) {
  const TableRow& row = merged.first();
  std::vector<Cell> cells = {"  " + sizes, row.device, "", "", "", "", ""};
  if (const TableRow* bad = merged.bad()) {
    cells.back().text = coloured(std::string(name(bad->status)), colour_of(bad->status), colour) +
                        ": " + bad->reason;
    return cells;
  }
  const MergedRounds times = merged.times();
  cells[2] = {time_text(times.median_ns), Colour::bold};
  cells[3] = times.low_ns > 0 ? interval_text(times.median_ns, times.low_ns, times.high_ns)
                              : visits_text(row.visit_medians.size());
  cells[4] = rate_of(row, times.median_ns);
  cells[5] = share_of(merged.ceiling_share(), row);
  std::string& last = cells[6].text = coloured("verified", Colour::green, colour);
  if (row.stop_reason == "budget") last += coloured(" (budget)", Colour::yellow, colour);
  if (merged.disturbed()) last += coloured(" (disturbed)", Colour::yellow, colour);
  if (!row.notes.empty()) last += "  " + coloured(row.notes, Colour::dim, colour);
  return cells;
}

// In the order of first appearance by heading and sizes, so that backends stand together.
struct Section {
  std::string heading;
  std::vector<std::pair<std::string, std::vector<Merged>>> by_sizes;
};

// Such rows share a line for each reason.
bool is_folded(const TableRow& row) {
  return row.status == Status::unavailable || row.status == Status::unsupported ||
         row.was_not_reached();
}

std::vector<Section> sections_of(std::span<const TableRow> rows) {
  struct Place {
    std::size_t section, sizes, merged;
  };
  std::vector<Section> sections;
  std::map<std::string, std::size_t> section_of;
  std::map<std::pair<std::size_t, std::string>, std::size_t> sizes_of_section;
  std::map<std::string, Place> places;
  for (const TableRow& row : rows) {
    if (is_folded(row)) continue;
    const auto found = places.find(row.name);
    if (found != places.end()) {
      const Place& at = found->second;
      sections[at.section].by_sizes[at.sizes].second[at.merged].rounds.push_back(&row);
      continue;
    }
    const auto [section, new_section] = section_of.try_emplace(row.heading, sections.size());
    if (new_section) sections.push_back({row.heading, {}});
    auto& by_sizes = sections[section->second].by_sizes;
    const auto [sizes, new_sizes] =
        sizes_of_section.try_emplace({section->second, row.sizes}, by_sizes.size());
    if (new_sizes) by_sizes.push_back({row.sizes, {}});
    auto& merged = by_sizes[sizes->second].second;
    places[row.name] = {section->second, sizes->second, merged.size()};
    merged.push_back({{&row}});
  }
  return sections;
}

// A line for every reason why cases could not be measured, or were not reached.
std::string folded(std::span<const TableRow> rows, bool colour, const Lines& lines) {
  std::map<std::pair<std::string, std::string>, std::set<std::string>> cases;
  for (const TableRow& row : rows)
    if (row.was_not_reached())
      cases[{"not reached", row.reason}].insert(row.name);
    else if (is_folded(row))
      cases[{fmt::format("{} {}", row.device, name(row.status)), row.reason}].insert(row.name);
  std::string text = cases.empty() ? "" : "\n";
  for (const auto& [what, names] : cases)
    text += coloured(lines.wrapped(fmt::format("{}: {} ({} {})", what.first, what.second,
                                               names.size(), names.size() == 1 ? "case" : "cases"),
                                   0),
                     Colour::dim, colour) +
            '\n';
  return text;
}

// Every section has widths of its own: one with long names leaves the others narrow.
Table wide_table(const Section& section, bool colour) {
  using enum Align;
  Table table({{""}, {""}, {"", right}, {"", right}, {"", right}, {"", right}, {""}});
  table.add_line({section.heading, Colour::bold});
  for (const auto& [sizes, all] : section.by_sizes)
    for (std::size_t i = 0; i < all.size(); ++i)
      table.add(cells_of(all[i], i == 0 ? sizes : "", colour));
  return table;
}

// `±2.1 %`, or `-14/+509 %` where that is far off on one side.
std::string short_interval(const MergedRounds& times, std::size_t visits) {
  if (times.low_ns <= 0) return visits_text(visits);
  const double below = 1 - times.low_ns / times.median_ns;
  const double above = times.high_ns / times.median_ns - 1;
  return std::max(below, above) < 0.5 ? interval_text(times.median_ns, times.low_ns, times.high_ns)
                                      : fmt::format("-{:.0f}/+{:.0f} %", below * 100, above * 100);
}

std::vector<Cell> narrow_cells(const Merged& merged, const std::string& sizes) {
  const TableRow& row = merged.first();
  const MergedRounds times = merged.times();
  const auto share = merged.ceiling_share();
  std::string marks = row.stop_reason == "budget" ? "~" : "";
  if (merged.disturbed()) marks += '*';
  return {"  " + sizes,
          row.device.ends_with(":0") ? row.device.substr(0, row.device.size() - 2) : row.device,
          {time_text(times.median_ns), Colour::bold},
          short_interval(times, row.visit_medians.size()),
          rate_of(row, times.median_ns),
          share ? share_text(*share) : "",
          {marks, Colour::yellow}};
}

std::string narrow_table(const std::vector<Section>& sections, bool colour, std::size_t width) {
  constexpr std::size_t longest_sizes = 12;
  const Lines lines(width);
  using enum Align;
  Table table(
      {{""}, {""}, {"time", right}, {"±", right}, {"rate", right, true}, {"ceiling", right}, {""}});
  const auto add_line = [&](const std::string& text, std::size_t indent, Colour line_colour) {
    table.add_line({lines.wrapped(text, indent), line_colour});
  };
  for (const Section& section : sections) {
    add_line(section.heading, 0, Colour::bold);
    for (const auto& [sizes, all] : section.by_sizes) {
      const bool is_long = sizes.size() > longest_sizes;
      if (is_long) add_line(sizes, 2, Colour::none);
      for (const Merged& merged : all) {
        const std::string before = is_long || &merged != &all.front() ? "" : sizes;
        if (const TableRow* bad = merged.bad()) {
          add_line(fmt::format("{}{}{} {}: {}", before, before.empty() ? "" : "  ", bad->device,
                               name(bad->status), bad->reason),
                   2, colour_of(bad->status));
          continue;
        }
        table.add(narrow_cells(merged, before));
        if (!merged.first().notes.empty()) add_line(merged.first().notes, 6, Colour::dim);
      }
    }
  }
  return table.terminal(colour, width) +
         coloured(lines.wrapped("All verified. ~ stopped at its budget, before the precision asked "
                                "for; * disturbed; ceiling: the share of what the machine can do.",
                                0),
                  Colour::dim, colour) +
         '\n';
}

}  // namespace

TableRow::TableRow(const Row& row)
    : name(row.text(Column::name)),
      device(row.text(Column::device)),
      heading(heading_of(row)),
      sizes(sizes_of(name)),
      status(row.status().value_or(Status::failed)),
      reason(known(row, Column::reason)),
      notes(notes_of(row)),
      stop_reason(known(row, Column::stop_reason)),
      disturbances(known(row, Column::disturbances)),
      ceiling_share(row.real(Column::ceiling_share)),
      ceiling_source(known(row, Column::ceiling_source)),
      disturbed_visits(row.integer(Column::disturbed).value_or(0)) {
  if (const auto flops = row.real(Column::flops)) {
    rate_unit = "flop";
    work = *flops;
  } else if (const auto bytes = row.real(Column::work_bytes)) {
    rate_unit = "byte";
    work = *bytes;
  }
  for (const auto& visit : parse_samples(row.text(Column::samples_ns)).value_or(Visits{}))
    if (!visit.empty()) visit_medians.push_back(median(visit));
}

std::string row_line(const Row& row) {
  const TableRow read(row);
  if (read.status != Status::ok) return fmt::format("{}: {}", name(read.status), read.reason);
  std::vector<std::string> parts;
  const auto middle = row.real(Column::median_ns);
  if (!middle) return "";
  parts.push_back(time_text(*middle));
  const auto low = row.real(Column::median_low_ns), high = row.real(Column::median_high_ns);
  parts.back() += " " + (low && high ? interval_text(*middle, *low, *high)
                                     : "(" + visits_text(read.visit_medians.size()) + ")");
  parts.push_back(rate_of(read, *middle));
  parts.push_back(share_of(read.ceiling_share, read));
  parts.push_back("verified");
  parts.push_back(read.notes);
  std::erase(parts, "");
  return fmt::format("{}", fmt::join(parts, "  "));
}

std::string run_table(std::span<const TableRow> rows, bool colour, std::size_t width) {
  const std::vector<Section> sections = sections_of(rows);
  std::string wide;
  std::size_t widest = 0;
  for (const Section& section : sections) {
    const Table table = wide_table(section, colour);
    wide += table.terminal(colour);
    widest = std::max(widest, table.width());
  }
  return (widest <= width ? wide : narrow_table(sections, colour, width)) +
         folded(rows, colour, Lines(width));
}

std::string run_cautions(std::span<const TableRow> rows, bool colour, std::size_t width) {
  const std::vector<Section> sections = sections_of(rows);
  const Lines lines(width);
  std::size_t measured = 0, disturbed = 0;
  std::set<std::string> causes;
  std::string caution;
  const auto count = [&](const Merged& merged) {
    if (merged.bad()) return;
    ++measured;
    if (std::string own = merged.times().caution; !own.empty()) caution = std::move(own);
    if (!merged.disturbed()) return;
    ++disturbed;
    for (const TableRow* round : merged.rounds) {
      std::istringstream kinds(round->disturbances);
      for (std::string kind; std::getline(kinds >> std::ws, kind, ',');)
        causes.insert(kind.substr(0, kind.find(' ')));
    }
  };
  for (const Section& section : sections)
    for (const auto& [sizes, all] : section.by_sizes)
      for (const Merged& merged : all) count(merged);

  std::string text;
  if (disturbed > 0)
    text += coloured(lines.wrapped(fmt::format("{} of {} cases disturbed by other work on the "
                                               "machine ({})",
                                               disturbed, measured, fmt::join(causes, ", ")),
                                   0),
                     Colour::yellow, colour) +
            '\n';
  if (!caution.empty()) text += coloured(lines.wrapped(caution, 0), Colour::dim, colour) + '\n';
  return text;
}

}  // namespace breakeven
