// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <sstream>

#include "reports/compare/formats.hpp"
#include "reports/text/lines.hpp"
#include "reports/text/quantity.hpp"
#include "reports/text/table.hpp"

namespace breakeven::comparison {
namespace {

std::string heading(const std::string& text, Style style) {
  return style.markdown ? "## " + text + "\n\n" : text + "\n";
}

std::string rendered(const Table& table, Style style) {
  return (style.markdown ? table.markdown() : table.terminal(style.in_colour, style.width)) + "\n";
}

std::string shown_values(const std::vector<std::string>& values, Style style) {
  constexpr std::size_t longest_value = 60, indent_and_dots = 5;
  const auto longest = std::min(longest_value, style.width.value_or(SIZE_MAX) - indent_and_dots);
  std::string text;
  for (const auto& value : values) {
    text += text.empty() ? "" : " and ";
    text += value == unknown ? "unknown" : printable(value);
  }
  if (text.size() > longest) {
    auto end = longest;
    while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
      --end;
    }
    text = text.substr(0, end) + "...";
  }
  return text.empty() ? "-" : text;
}

// `5`, or `4 to 5` where cases differ.
std::string rounds_of(const Group& group) {
  std::size_t fewest = SIZE_MAX, most = 0;
  for (const auto& [index, measurement] : group.cases) {
    if (const auto rounds = measurement.round_medians.size(); rounds > 0) {
      fewest = std::min(fewest, rounds);
      most = std::max(most, rounds);
    }
  }
  return fewest < most ? fmt::format("{} to {}", fewest, most) : std::to_string(most);
}

std::string reports_table(const Grouped& grouped, const Comparison& comparison, Style style) {
  if (grouped.by_key) {
    return "";
  }
  Table table({{"report"},
               {"machine"},
               {"first row"},
               {"last row"},
               {"rounds", Align::right},
               {"cases", Align::right},
               {""}});
  for (std::size_t i = 0; i < grouped.groups.size(); ++i) {
    const auto& group = grouped.groups[i];
    table.add({printable(group.label),
               shown_values({group.machines.begin(), group.machines.end()}, style),
               printable(group.first_utc), printable(group.last_utc), rounds_of(group),
               std::to_string(group.cases.size()), i == comparison.base ? "base" : ""});
  }
  return heading("Reports", style) + rendered(table, style);
}

// In what is known, on the machine of the base.
bool differs_from_base(const Comparison& comparison, const Difference& difference) {
  std::set<std::string> known;
  std::size_t groups = 0;
  for (std::size_t i = 0; i < difference.values.size(); ++i) {
    if (comparison.is_judged[i]) {
      known.insert(difference.values[i].begin(), difference.values[i].end());
      ++groups;
    }
  }
  known.erase(std::string(unknown));
  return groups > 1 && known.size() > 1;
}

// The machine blocks where one name stands for two of them.
bool blocks(const Comparison& comparison, const Subject& subject, const Difference& difference) {
  const auto& namesakes = comparison.is_namesake;
  return (subject.blocks && differs_from_base(comparison, difference)) ||
         (difference.what == "machine_facts machine_id" &&
          std::find(namesakes.begin(), namesakes.end(), true) != namesakes.end());
}

std::string what_differs(const Grouped& grouped, const Comparison& comparison,
                         const ComparisonOptions& options, Style style) {
  if (comparison.differences.empty()) {
    return grouped.by_key ? "" : "Contexts: nothing differs.\n\n";
  }
  std::vector<Table::Heading> headings{{"subject"}, {"what"}, {"backends"}};
  for (const auto& group : grouped.groups) {
    headings.push_back({printable(group.label)});
  }
  headings.push_back({""});
  Table table(headings);
  for (const auto& difference : comparison.differences) {
    std::vector<Cell> row{std::string(difference.subject), printable(difference.what),
                          printable(difference.backends)};
    for (const auto& values : difference.values) {
      row.emplace_back(shown_values(values, style));
    }
    const auto subject = std::find_if(subjects().begin(), subjects().end(), [&](const auto& entry) {
      return entry.name == difference.subject;
    });
    const bool declared = options.expected.contains(std::string(difference.subject));
    if (declared) {
      row.emplace_back("declared", Colour::dim);
    } else if (blocks(comparison, *subject, difference)) {
      row.emplace_back("blocks the verdict", Colour::yellow);
    } else {
      row.emplace_back("");
    }
    table.add(std::move(row));
  }
  return heading("What differs", style) + rendered(table, style);
}

std::string time_with_interval(const std::optional<Summary>& summary) {
  if (!summary) {
    return "-";
  }
  const auto text = time_text(summary->median);
  return summary->low && summary->high
             ? text + " " + interval_text(summary->median, *summary->low, *summary->high)
             : text;
}

std::string ratio_with_interval(const CaseComparison& result) {
  if (!result.ratio) {
    return "";
  }
  auto text = times_text(*result.ratio);
  if (result.paired) {
    return text + fmt::format(" [{}, {}] paired", ratio_text(result.paired->low),
                              ratio_text(result.paired->high));
  }
  if (result.effect && std::min(result.base->rounds, result.other->rounds) >= 3) {
    text +=
        fmt::format(" [{}, {}]", ratio_text(result.effect->low), ratio_text(result.effect->high));
  }
  return text;
}

std::string shares(const CaseComparison& result) {
  if (!result.base_share && !result.other_share) {
    return "";
  }
  const auto text = [](const std::optional<double>& share) {
    return share ? share_text(*share) : std::string("?");
  };
  return text(result.base_share) + " → " + text(result.other_share);
}

Colour colour_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::regressed:
    case Verdict::invalid:
      return Colour::red;
    case Verdict::improved:
    case Verdict::equivalent:
      return Colour::green;
    case Verdict::not_comparable:
    case Verdict::missing:
    case Verdict::inconclusive:
      return Colour::yellow;
    case Verdict::described:
      return Colour::none;
  }
  return Colour::none;
}

std::string described(const CaseComparison& result) {
  const double ratio = *result.ratio;
  const auto times = [](double value) {
    return value < 9.995 ? fmt::format("{:.2f}×", value) : short_number(value) + "×";
  };
  return ratio > 1 ? times(ratio) + " the time" : times(1 / ratio) + " as fast";
}

Cell verdict_cell(const CaseComparison& result) {
  std::string text =
      result.verdict == Verdict::described ? described(result) : std::string(name(result.verdict));
  if (!result.why.empty()) {
    text += ": " + printable(result.why);
  }
  return {text, colour_of(result.verdict)};
}

// Beside another machine or backend, what it cannot do has no line of its own.
bool is_told_in_totals(const Comparison& comparison, const CaseComparison& result) {
  return result.verdict == Verdict::missing && !comparison.is_judged[result.group];
}

// What the numbers of the table are.
std::string legend(const Comparison& comparison) {
  bool has_rounds = false, has_times = false, is_disturbed = false;
  for (const auto& result : comparison.cases) {
    for (const auto& summary : {result.base, result.other}) {
      has_times = has_times || summary;
      has_rounds = has_rounds || (summary && summary->rounds > 1);
    }
    is_disturbed = is_disturbed || result.disturbed_share > 0;
  }
  std::string text;
  if (has_rounds) {
    text =
        "Times are medians of the rounds, a ratio is that of their geometric means; intervals hold "
        "95 %, between processes.\n";
  } else if (has_times) {
    text = "One round: ± is what varied inside one process, and says nothing of the next.\n";
  }
  if (is_disturbed) {
    text += "Disturbed: the share of visits while the machine was busy with something else.\n";
  }
  return text.empty() ? text : text + "\n";
}

// Broken at spaces, each line with the indent that it has.
std::string wrapped(const std::string& text, Style style) {
  if (!style.width || style.markdown) {
    return text;
  }
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto indent = std::min(line.find_first_not_of(' '), line.size());
    result += Lines(*style.width).wrapped(line.substr(indent), indent) + "\n";
  }
  return result;
}

// `matmul  f32  resident` and `n:64 serial:0` of `matmul/serial:0/f32/resident/n:64`.
std::pair<std::string, std::string> folded_name(const std::string& name) {
  std::vector<std::string> parts;
  std::istringstream text(name);
  for (std::string part; std::getline(text, part, '/');) {
    parts.push_back(part);
  }
  if (parts.size() < 4) {
    return {"", name};
  }
  std::string sizes;
  for (std::size_t i = 4; i < parts.size(); ++i) {
    sizes += parts[i] + " ";
  }
  return {fmt::format("{}  {}  {}", parts[0], parts[2], parts[3]),
          sizes + (parts[1].starts_with('*') ? "" : parts[1])};
}

// For narrow terminals: names, and what only says why, have lines of their own.
std::string folded_cases(const Grouped& grouped, const Comparison& comparison, Style style) {
  constexpr std::size_t longest_name = 24, longest_label = 14, indent = 4;
  const auto& base = grouped.groups[comparison.base];
  const bool two = grouped.groups.size() == 2;
  const Lines lines(*style.width);
  const auto time = [](const std::optional<Summary>& summary) {
    return summary ? time_text(summary->median) : std::string("-");
  };
  const auto label = [&](const Group& group, const char* if_long) {
    const auto own = printable(group.label);
    return own.size() <= longest_label ? own : if_long;
  };
  const auto& second = grouped.groups[comparison.base == 0 ? 1 : 0];
  Table table({{"case"},
               {two ? label(base, "base") : "", Align::right},
               {two ? label(second, "other") : "time", Align::right},
               {"ratio [95 %]"},
               {"verdict"}});
  std::map<std::string, std::size_t> reasons;
  std::string last_heading, last_case;
  for (const auto& result : comparison.cases) {
    if (is_told_in_totals(comparison, result)) {
      continue;
    }
    const auto [group, cell] = folded_name(printable(grouped.cases[result.case_index].name));
    if (group != last_heading) {
      table.add_line({group, Colour::dim});
      last_case.clear();
    }
    const bool is_long = !two || cell.size() > longest_name;
    if (is_long && cell != last_case) {
      table.add_line(lines.wrapped(two ? cell : cell + "  " + time(result.base), 2));
    }
    last_heading = group;
    last_case = cell;
    const bool is_judged = result.verdict != Verdict::described;
    table.add(
        {"  " + (is_long ? two ? "" : printable(grouped.groups[result.group].label) : cell),
         two ? time(result.base) : "", time(result.other), ratio_with_interval(result),
         Cell(is_judged ? std::string(name(result.verdict)) : "", colour_of(result.verdict))});
    if (result.verdict == Verdict::inconclusive && result.effect && result.adjusted_p) {
      table.add_line({lines.wrapped(printable(result.why), indent), Colour::dim});
    } else if (is_judged && !result.why.empty() && !result.adjusted_p) {
      ++reasons[fmt::format("{}: {}", name(result.verdict), printable(result.why))];
    }
  }
  auto text = table.terminal(style.in_colour, style.width) + "\n";
  for (const auto& [reason, cases] : reasons) {
    text +=
        lines.wrapped(fmt::format("{} ({} {})", reason, cases, cases == 1 ? "case" : "cases"), 0) +
        "\n";
  }
  return text + (reasons.empty() ? "" : "\n");
}

std::string all_cases(const Grouped& grouped, const Comparison& comparison, Style style) {
  const auto& base = grouped.groups[comparison.base];
  const bool two = grouped.groups.size() == 2;
  const auto& second = grouped.groups[comparison.base == 0 ? 1 : 0];
  Table table({{"case"},
               {"report"},
               {printable(base.label), Align::right},
               {two ? printable(second.label) : "time", Align::right},
               {"ratio [95 %]", Align::left},
               {"of ceiling", Align::right, true},
               {"disturbed", Align::right, true},
               {"verdict"}});
  for (const auto& result : comparison.cases) {
    if (is_told_in_totals(comparison, result)) {
      continue;
    }
    table.add({printable(grouped.cases[result.case_index].name),
               two ? "" : printable(grouped.groups[result.group].label),
               time_with_interval(result.base), time_with_interval(result.other),
               ratio_with_interval(result), shares(result),
               result.disturbed_share > 0 ? share_text(result.disturbed_share) : "",
               verdict_cell(result)});
  }
  if (table.empty()) {
    return "";
  }
  const bool is_wide = !style.width || style.markdown || table.width() <= *style.width;
  return heading("Cases", style) +
         (is_wide ? rendered(table, style) : folded_cases(grouped, comparison, style)) +
         wrapped(legend(comparison), style);
}

std::string break_even_points(const Crossings& crossings, Style style) {
  if (crossings.machines.size() < 2 || crossings.lines.empty()) {
    return "";
  }
  Table table({{"times"}, {"machine"}, {"faster"}, {"ratio [interval]"}});
  for (const auto& line : crossings.lines) {
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      table.add({i == 0 || style.markdown ? printable(line.pair) : "",
                 printable(crossings.machines[i]),
                 line.cells[i].bracket.empty() ? "not measured" : printable(line.cells[i].bracket),
                 printable(line.cells[i].ratio)});
    }
  }
  return wrapped(heading("Break-even points, machine by machine (square f32 products)", style),
                 style) +
         rendered(table, style);
}

std::string totals(const Grouped& grouped, const Comparison& comparison) {
  std::string text;
  for (const auto& mean : comparison.means) {
    text += fmt::format(
        "{} against {}: geometric mean of the time {} over {} cases (an index, not "
        "a result)\n",
        printable(grouped.groups[mean.group].label),
        printable(grouped.groups[comparison.base].label), times_text(mean.ratio), mean.cases);
  }
  std::map<Verdict, std::size_t> counts;
  for (const auto& result : comparison.cases) {
    ++counts[result.verdict];
  }
  std::string line;
  for (const auto& [verdict, count] : counts) {
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", count, name(verdict));
  }
  text += line.empty() ? "no case is in both\n" : line + "\n";
  std::map<std::string, std::size_t> missing;  // by reason
  for (const auto& result : comparison.cases) {
    missing[result.why] += is_told_in_totals(comparison, result) ? 1 : 0;
  }
  for (const auto& [why, count] : missing) {
    text += count > 0 ? fmt::format("  missing, {}: {}\n", printable(why), count) : "";
  }
  if (comparison.not_measured > 0) {
    text += fmt::format(
        "{} not compared: measured on neither side (unsupported, unavailable, too "
        "large)\n",
        comparison.not_measured);
  }
  if (grouped.searches > 0) {
    text += fmt::format("{} probes of `find` not compared\n", grouped.searches);
  }
  if (grouped.repeated > 0) {
    text += fmt::format("{} rows are in several of the reports: counted once\n", grouped.repeated);
  }
  return text;
}

std::string judgement(const Grouped& grouped, const Comparison& comparison) {
  const bool gates = std::count(comparison.is_judged.begin(), comparison.is_judged.end(), true) > 1;
  return gates            ? ""
         : grouped.by_key ? "Different cases side by side: described, not judged.\n"
                          : "Different machines: described, not judged.\n";
}

}  // namespace

std::string as_text(const Grouped& grouped, const Comparison& comparison,
                    const ComparisonOptions& options, Style style, const Crossings& crossings) {
  auto text = style.markdown ? "# Comparison\n\n" : std::string();
  text += wrapped(
      fmt::format("Base: {}. A ratio above 1 is slower than the base.\n{}\n",
                  printable(grouped.groups[comparison.base].label), judgement(grouped, comparison)),
      style);
  text += reports_table(grouped, comparison, style);
  text += what_differs(grouped, comparison, options, style);
  text += all_cases(grouped, comparison, style);
  text += break_even_points(crossings, style);
  return text + wrapped(totals(grouped, comparison), style);
}

}  // namespace breakeven::comparison
