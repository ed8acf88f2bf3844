// SPDX-License-Identifier: Apache-2.0
#include "reports/answers/headline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "reports/answers/entries.hpp"
#include "reports/answers/sentence.hpp"
#include "reports/answers/told_sweeps.hpp"
#include "reports/break_even/search_row.hpp"
#include "reports/schema/severity.hpp"
#include "reports/statistics/order_statistics.hpp"
#include "reports/text/quantity.hpp"
#include "reports/text/shell_word.hpp"

namespace breakeven {
namespace {

// `kokkos-openmp` of `kokkos-openmp:0`: one device is not counted in a headline.
std::string short_name(const std::string& device) {
  return device.ends_with(":0") ? device.substr(0, device.size() - 2) : device;
}

struct Counts {
  std::size_t measured = 0, verified = 0, disturbed = 0, faults = 0;
  std::vector<double> widths;  // half of each interval, relative
  std::size_t rounds = 0;      // of the report that has the fewest; 0: probes of a search only
};

void count(const Report& report, Counts& counts) {
  std::map<std::string, std::set<std::string>> processes;  // by machine and case
  for (std::size_t i = 0; i < report.size(); ++i) {
    const RowView row = report.row(i);
    const Status status = row.status();
    counts.faults += is_fault(status) ? 1 : 0;
    if (status != Status::ok) {
      continue;
    }
    ++counts.measured;
    counts.verified += row.is_known(Column::verify_method) ? 1 : 0;
    counts.disturbed += row.integer(Column::disturbed).value_or(0) > 0 ? 1 : 0;
    const auto interval = row.visits_interval();
    const auto median_ns = row.real(Column::median_ns);
    if (interval && median_ns) {
      counts.widths.push_back((interval->high_ns - interval->low_ns) / 2 / *median_ns);
    }
    if (!is_probe(row)) {
      processes[fmt::format("{} {}", row.text(Column::machine), row.text(Column::name))].insert(
          fmt::format("{} {}", row.text(Column::run_id), row.text(Column::round)));
    }
  }
  std::size_t rounds = 0;
  for (const auto& [name, rows] : processes) {
    rounds = std::max(rounds, rows.size());
  }
  counts.rounds = counts.rounds == 0 ? rounds
                  : rounds == 0      ? counts.rounds
                                     : std::min(counts.rounds, rounds);
}

std::vector<Trust> trust_of(const Counts& counts) {
  using Level = Trust::Level;
  std::vector<Trust> trust;
  if (counts.faults > 0) {
    trust.push_back({fmt::format("{} {} wrong or failed", counts.faults,
                                 counts.faults == 1 ? "row is" : "rows are"),
                     Level::bad});
  }
  if (counts.measured == 0) {
    trust.push_back({"nothing was measured", Level::bad});
    return trust;
  }
  trust.push_back({fmt::format("{} of {} rows verified", counts.verified, counts.measured),
                   counts.verified == counts.measured ? Level::good : Level::care});
  const double disturbed =
      static_cast<double>(counts.disturbed) / static_cast<double>(counts.measured);
  trust.push_back({counts.disturbed == 0 ? "no row disturbed"
                                         : share_text(disturbed) + " of the rows disturbed",
                   disturbed > 0.1 ? Level::care : Level::good});
  if (const auto rounds = counts.rounds; rounds > 0) {
    trust.push_back({fmt::format("{} {}", rounds, rounds == 1 ? "round" : "rounds"),
                     rounds < 5 ? Level::care : Level::good});
  }
  if (!counts.widths.empty()) {
    const double typical = median(counts.widths);
    trust.push_back({"half of the times within ±" + share_text(typical),
                     typical > 0.05 ? Level::care : Level::good});
  }
  return trust;
}

HeadlineFact trust_fact(const Counts& counts, const std::vector<Trust>& trust) {
  using Level = Trust::Level;
  const auto has = [&](Level level) {
    return std::any_of(trust.begin(), trust.end(),
                       [&](const Trust& one) { return one.level == level; });
  };
  const std::string answer = has(Level::bad)    ? "Not all of it."
                             : has(Level::care) ? "The results yes, close differences with care."
                                                : "Yes.";
  std::string detail;
  for (const Trust& one : trust) {
    if (one.level != Level::good || answer == "Yes.") {
      detail += (detail.empty() ? "" : "; ") + one.text;
    }
  }
  if (counts.measured > 0 && counts.verified == counts.measured && answer != "Yes.") {
    detail = fmt::format("Every result was verified{}{}.", detail.empty() ? "" : "; ", detail);
  } else if (!detail.empty()) {
    detail += ".";
  }
  return {"Can I trust it?", answer, detail, {}, {}};
}

// `1.93 times as long (1.90 to 1.97, paired)`
std::string times_as_long(const EstablishedRatio& ratio) {
  return fmt::format("{} times as long ({} to {}, {})", short_number(ratio.value),
                     short_number(ratio.low), short_number(ratio.high), pairing(ratio.is_paired));
}

HeadlineFact fastest_fact(const std::vector<const Entry*>& found) {
  const Entry& best = *found.front();
  HeadlineFact fact{fmt::format("Which is fastest for a product of {}?", best.size(Column::n)),
                    fmt::format("{}: {}", short_name(best.device), time_text(best.nanoseconds)),
                    {},
                    best.indices(),
                    {}};
  if (const double rate = best.real(Column::flops_per_s); rate > 0) {
    fact.answer += fmt::format(", {}", rate_text(rate, "FLOP/s"));
  }
  for (std::size_t i = 1; i < found.size() && i < 4; ++i) {
    const auto ratio = established_ratio(*found[i], best);
    fact.detail += fmt::format("{}{} takes {}", i == 1 ? "" : "; ", short_name(found[i]->device),
                               ratio ? times_as_long(*ratio)
                                     : fmt::format("{}, {}", time_text(found[i]->nanoseconds),
                                                   why_not_established(*found[i], best)));
  }
  fact.detail += fact.detail.empty() ? "No other backend was measured." : ".";
  return fact;
}

std::string ratio_of(const StoredSweep& sweep) {
  const Probe* const probe = told_probe(sweep);
  if (probe == nullptr) {
    return "";
  }
  const bool from_wins = probe->faster == Faster::from;
  const auto [slow, fast] = from_wins ? std::pair(sweep.names.to, sweep.names.from)
                                      : std::pair(sweep.names.from, sweep.names.to);
  const double sign = from_wins ? 1 : -1;
  const auto [low, high] = std::minmax({sign * probe->low, sign * probe->high});
  return fmt::format("At {} = {} {} takes {} as {}.", sweep.names.axis, probe->size,
                     short_name(slow),
                     times_as_long({std::exp(sign * probe->log_ratio), std::exp(low),
                                    std::exp(high), probe->is_paired}),
                     short_name(fast));
}

}  // namespace

std::string pays_off(const StoredSweep& sweep) {
  const Finding& finding = sweep.finding;
  const Names& names = sweep.names;
  const std::string from = short_name(names.from), to = short_name(names.to);
  switch (finding.kind) {
    case Finding::Kind::bracket:
      return fmt::format("{} beats {} from {} = {} on", short_name(faster_above(sweep)),
                         short_name(faster_below(sweep)), names.axis, finding.high());
    case Finding::Kind::band:
      return fmt::format("{} and {} change places {} times between {} = {} and {}", from, to,
                         finding.changes.size(), names.axis, finding.low(), finding.high());
    case Finding::Kind::none:
      return fmt::format(
          "{} beats {} {}, {} = {} to {}", finding.winner == Faster::from ? from : to,
          finding.winner == Faster::from ? to : from,
          std::all_of(finding.probes.begin(), finding.probes.end(),
                      [&](const Probe& probe) { return probe.faster == finding.winner; })
              ? "at every size"
              : "wherever one of them is faster",
          names.axis, finding.probes.front().size, finding.probes.back().size);
    default:
      return fmt::format("{} and {} are equally fast", from, to);
  }
}

namespace {

// Where there are no square f32 products: those of the report's first case in its mode.
std::vector<StoredSweep> sweeps_of_first_case(const Report& report) {
  SweepQuery query;
  for (std::size_t i = 0; i < report.size() && query.case_name.empty(); ++i) {
    if (report.row(i).status() == Status::ok) {
      query.case_name = report.row(i).text(Column::case_name);
      query.from.mode = query.to.mode = report.row(i).text(Column::mode);
    }
  }
  auto sweeps = stored_sweeps(report, query);
  std::erase_if(sweeps, [](const StoredSweep& sweep) {
    return sweep.finding.kind == Finding::Kind::undecided;
  });
  return sweeps;
}

HeadlineFact break_even_fact(const std::vector<StoredSweep>& sweeps) {
  HeadlineFact fact{"From which size on does another pay off?", {}, {}, {}, {}};
  constexpr std::size_t most = 4;
  fact.answer = pays_off(sweeps.front()) + ".";
  fact.detail = ratio_of(sweeps.front());
  for (std::size_t i = 1; i < std::min(most, sweeps.size()); ++i) {
    fact.detail += fmt::format("{}{}.", fact.detail.empty() ? "" : " ", pays_off(sweeps[i]));
  }
  fact.rows = telling_rows(sweeps.front());
  return fact;
}

// Of the ceilings that were measured `share` is of the lowest one.
std::string own_code(double share) {
  return fmt::format("How it is computed: the hardware could do {} times as much.",
                     short_number(1 / share));
}

// Of a device whose clock falls in long work; none where it was not measured. 2 % are noise.
struct Kept {
  double share;
  std::string text;
};
std::optional<Kept> kept_up(const Entry& best) {
  constexpr double steady = 0.98;
  const auto rate = best.detail("sustained_flop_per_s"),
             low = best.detail("sustained_low_flop_per_s");
  if (!rate || !low || *rate <= 0) return {};
  const double share = best.real(Column::flops_per_s) / *rate;
  const auto mhz = best.detail("sustained_mhz");
  return Kept{
      share, fmt::format(" For seconds the device keeps up {}{}{}: {} of that.",
                         rate_text(*rate, "FLOP/s"), mhz ? fmt::format(" at {:.0f} MHz", *mhz) : "",
                         *low < steady * *rate ? ", not steadily" : "", share_text(share))};
}

HeadlineFact limit_fact(const Entry& best) {
  const double share = best.real(Column::ceiling_share);
  const auto unit = best.text(Column::ceiling_unit), source = best.text(Column::ceiling_source);
  HeadlineFact fact{"What limits it?", {}, {}, best.indices(), {}};
  if (!(share > 0) || source == unknown) {
    fact.answer = "No ceiling was measured for it.";
    return fact;
  }
  constexpr double near = 0.8;
  const bool is_near = share >= near;
  const std::string of = fmt::format("{} of {}", share_text(share), source);
  if (unit == "flop/s") {
    const auto kept = kept_up(best);
    fact.answer = is_near                       ? "Arithmetic: the processor can do no more."
                  : kept && kept->share >= near ? "Arithmetic, at the clock that its power and "
                                                  "cooling allow."
                                                : own_code(share);
    fact.detail =
        fmt::format("{} reaches {}, the most its vector units were seen to do ({}).",
                    short_name(best.device), of, rate_text(best.real(Column::ceiling), "FLOP/s")) +
        (kept ? kept->text : "");
  } else if (unit == "byte/s") {
    fact.answer = is_near ? "Memory: it delivers no more." : own_code(share);
    fact.detail = fmt::format("{} reaches {} ({}).", short_name(best.device), of,
                              rate_text(best.real(Column::ceiling), "B/s"));
  } else {
    fact.answer = "Handing the work over.";
    fact.detail = fmt::format("{} against {} of {}.", time_text(best.nanoseconds),
                              time_text(best.real(Column::ceiling)), source);
  }
  return fact;
}

// ` --case transfer` of a report of few cases.
std::string cases_of(const Report& report) {
  std::set<std::string> cases;
  for (std::size_t i = 0; i < report.size(); ++i) {
    cases.emplace(report.row(i).text(Column::case_name));
  }
  constexpr std::size_t few = 3;
  return cases.size() > few ? ""
                            : " --case " + shell_word(fmt::format("{}", fmt::join(cases, ",")));
}

// What the report was asked, for five rounds.
std::string five_rounds(const Report& report) {
  std::string text = "breakeven run";
  if (report.row(0).text(Column::command).starts_with(text)) {
    for (const auto& [name, value] : report.row(0).pairs(Column::run_options)) {
      text += name == "rounds" ? "" : fmt::format(" --{} {}", name, shell_word(value));
    }
  } else {
    text += cases_of(report);
  }
  return text + " --rounds 5 --out five-rounds.csv";
}

HeadlineFact next_fact(const Report& report, const Counts& counts,
                       const std::vector<StoredSweep>& sweeps) {
  HeadlineFact fact{"What should I do next?", {}, {}, {}, {}};
  const auto add = [&](const std::string& what, std::string command) {
    auto& place = fact.answer.empty() ? fact.answer : fact.detail;
    place += (place.empty() ? "" : " ") + what;
    if (!command.empty()) {
      fact.commands.push_back(std::move(command));
    }
  };
  if (counts.faults > 0) {
    add("See why rows are wrong or failed: their reasons stand below.", "");
  }
  const auto wide = std::find_if(sweeps.begin(), sweeps.end(), [](const StoredSweep& sweep) {
    const Finding& finding = sweep.finding;
    return !sweep.is_search && finding.kind == Finding::Kind::bracket &&
           static_cast<double>(finding.high()) > 1.1 * static_cast<double>(finding.low());
  });
  if (wide != sweeps.end()) {
    add(fmt::format("Narrow the break-even point between {} and {}.", wide->finding.low(),
                    wide->finding.high()),
        fmt::format("breakeven find --case {}{}{} --from {} --to {} --range {}:{}",
                    shell_word(wide->case_name),
                    wide->mode == "resident" ? "" : " --mode " + shell_word(wide->mode),
                    wide->type == "f32" ? "" : " --type " + shell_word(wide->type),
                    shell_word(faster_below(*wide)), shell_word(faster_above(*wide)),
                    wide->finding.low(), wide->finding.high()));
  }
  const auto rounds = counts.rounds;
  if (rounds > 0 && rounds < 5) {
    add("Measure five rounds before close times are compared.", five_rounds(report));
  }
  if (fact.answer.empty()) {
    add("Compare it with another machine or another build.",
        fmt::format("breakeven compare {} other.csv", shell_word(report.path())));
  }
  return fact;
}

std::string machine_line(const Report& report) {
  const RowView row = report.row(0);
  std::string text(row.text(Column::machine));
  const auto add = [&](const std::string& part) { text += " · " + part; };
  if (row.is_known(Column::cpu_model)) {
    add(std::string(row.text(Column::cpu_model)));
  }
  if (const auto cores = row.integer(Column::cpu_cores)) {
    add(fmt::format("{} {}", *cores, *cores == 1 ? "core" : "cores"));
  }
  std::set<std::string> devices;
  for (std::size_t i = 0; i < report.size(); ++i) {
    const RowView other = report.row(i);
    if (other.status() == Status::ok && other.is_known(Column::device_name) &&
        other.text(Column::device_name).find(row.text(Column::cpu_model)) == std::string::npos) {
      devices.emplace(other.text(Column::device_name));
    }
  }
  for (const auto& device : devices) {
    if (devices.size() <= 3 && text.find(device) == text.npos) {
      add(device);
    }
  }
  if (const auto bytes = row.real(Column::memory_bytes)) {
    add(bytes_text(*bytes));
  }
  return printable(text);
}

}  // namespace

std::vector<Trust> trust_of(std::span<const Report> reports) {
  Counts counts;
  for (const auto& report : reports) {
    count(report, counts);
  }
  return trust_of(counts);
}

Headline headline_of(const Report& report) {
  Headline headline;
  Counts counts;
  count(report, counts);
  headline.trust = trust_of(counts);
  if (report.size() == 0) {
    headline.title = "This report has no rows";
    return headline;
  }
  headline.machine = machine_line(report);
  const Entries entries(report);
  const auto found = told_products(entries);
  auto sweeps = told_sweeps(report);
  const bool are_products = !sweeps.empty();
  if (sweeps.empty()) {
    sweeps = sweeps_of_first_case(report);
  }
  std::erase_if(sweeps, [&](const StoredSweep& sweep) {
    return sweep.machine != report.row(0).text(Column::machine);
  });
  sort_by_interest(sweeps, found);
  if (!found.empty()) {
    headline.facts.push_back(fastest_fact(found));
    headline.ratio = headline.facts.front().detail;
  }
  if (!sweeps.empty()) {
    headline.facts.push_back(break_even_fact(sweeps));
    const StoredSweep& first = sweeps.front();
    headline.title = pays_off(first);
    headline.ratio = ratio_of(first);
    headline.subtitle =
        (first.finding.kind == Finding::Kind::bracket
             ? fmt::format("Up to {} = {} {} is faster; between the two nothing is confirmed. ",
                           first.names.axis, first.finding.low(), short_name(faster_below(first)))
             : "") +
        (are_products ? "Square f32 products, data already in place."
                      : fmt::format("{}, {}, {}{}.", first.case_name, first.type, first.mode,
                                    first.common.empty() ? "" : ", " + first.common));
  } else if (!found.empty()) {
    headline.title =
        fmt::format("A product of {} takes {} on {}", found.front()->size(Column::n),
                    time_text(found.front()->nanoseconds), short_name(found.front()->device));
  } else {
    headline.title =
        fmt::format("{} measured on {}",
                    counts.measured == 1 ? "1 row" : fmt::format("{} rows", counts.measured),
                    report.row(0).text(Column::machine));
  }
  headline.facts.push_back(trust_fact(counts, headline.trust));
  if (!found.empty()) {
    headline.facts.push_back(limit_fact(*found.front()));
  }
  headline.facts.push_back(next_fact(report, counts, sweeps));
  return headline;
}

}  // namespace breakeven
