// SPDX-License-Identifier: Apache-2.0
#include "reports/html/remarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "reports/break_even/search_row.hpp"
#include "reports/charts/chart.hpp"
#include "reports/reader/origins.hpp"
#include "reports/schema/severity.hpp"
#include "reports/text/quantity.hpp"

namespace breakeven {
namespace {

constexpr std::size_t most_links = 12;
constexpr double many_disturbed = 0.1;
constexpr std::size_t comparable_rounds = 3, publishable_rounds = 5;

// What one pass over a report gathers.
struct Tally {
  std::set<std::string> cases, devices, runs;
  std::map<Status, std::vector<std::string>> rows;               // ids by status
  std::map<std::string, std::size_t> reasons;                    // why not measured, not a fault
  std::vector<std::string> disturbed, over_budget, no_interval;  // ids
  std::vector<std::string> undecided;                            // ids of probes of a search
  std::map<std::string, std::pair<double, std::string>> best;    // by device: rate and row
  std::size_t verified = 0;
  // By machine and case; none where all are probes.
  std::map<std::string, std::set<std::string>> processes;
  std::string first_utc;
};

void add_measured(Tally& tally, const RowView& row, const std::string& id) {
  tally.verified += row.is_known(Column::verify_method) ? 1 : 0;
  if (row.integer(Column::disturbed).value_or(0) > 0) {
    tally.disturbed.push_back(id);
  }
  if (!row.visits_interval()) {
    tally.no_interval.push_back(id);
  }
  if (row.text(Column::stop_reason) == "budget") {
    (is_probe(row) ? tally.undecided : tally.over_budget).push_back(id);
  }
  const auto share = row.real(Column::ceiling_share), rate = row.real(Column::flops_per_s);
  auto& best = tally.best[std::string(row.text(Column::device))];
  if (share && rate && *rate > best.first) {
    best = {*rate, fmt::format("{} at {}, {} of its ceiling", row.text(Column::name),
                               rate_text(*rate, "FLOP/s"), share_text(*share))};
  }
}

Tally tally_of(const Report& report, std::size_t index) {
  Tally tally;
  for (std::size_t i = 0; i < report.size(); ++i) {
    const auto row = report.row(i);
    const auto status = row.status();
    const auto id = drawing::id_of(index, row);
    tally.cases.emplace(row.text(Column::name));
    tally.devices.emplace(row.text(Column::device));
    tally.runs.emplace(row.text(Column::run_id));
    tally.rows[status].push_back(id);
    if (!is_probe(row)) {
      tally.processes[fmt::format("{} {}", row.text(Column::machine), row.text(Column::name))]
          .insert(fmt::format("{} {}", row.text(Column::run_id), row.text(Column::round)));
    }
    if (tally.first_utc.empty()) {
      tally.first_utc = row.text(Column::utc);
    }
    if (status == Status::ok) {
      add_measured(tally, row, id);
    } else if (!is_fault(status)) {
      ++tally.reasons[fmt::format("{}{}{}", name(status), row.is_known(Column::reason) ? ": " : "",
                                  row.is_known(Column::reason) ? row.text(Column::reason) : "")];
    }
  }
  return tally;
}

std::vector<std::string> few(const std::vector<std::string>& rows) {
  return {rows.begin(),
          rows.begin() + static_cast<std::ptrdiff_t>(std::min(rows.size(), most_links))};
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string joined(const std::set<std::string>& texts) {
  std::string result;
  for (const auto& text : texts) {
    result += result.empty() ? "" : ", ";
    result += text;
  }
  return result;
}

void describe(const Report& report, const Tally& tally, std::vector<Remark>& remarks) {
  const std::set<std::string> machines(report.machines().begin(), report.machines().end());
  if (report.size() == 0) {
    remarks.push_back({Tone::warning,
                       file_name_of(report) +
                           (report.left_out() > 0 ? ": no row can be read." : ": has no rows."),
                       {}});
  } else {
    remarks.push_back({Tone::plain,
                       fmt::format("{}: {} in {}, {} ({}), on {}, measured from {}.",
                                   file_name_of(report), counted(report.size(), "row", "rows"),
                                   counted(tally.cases.size(), "case", "cases"),
                                   counted(tally.devices.size(), "device", "devices"),
                                   joined(tally.devices), joined(machines), tally.first_utc),
                       {}});
  }
  if (report.left_out() > 0 || !report.notes().empty()) {
    std::string text;
    for (const auto& note : report.notes()) {
      text += !text.empty()           ? "; "
              : report.left_out() > 0 ? "Not all of the file could be used: "
                                      : "Of the file itself: ";
      text += note.line > 0 ? fmt::format("line {}: {}", note.line, note.text) : note.text;
    }
    remarks.push_back({Tone::warning, text + ".", {}});
  }
}

void tell_faults(const Tally& tally, std::vector<Remark>& remarks) {
  for (const auto& [status, rows] : tally.rows) {
    if (is_fault(status)) {
      remarks.push_back({Tone::bad,
                         fmt::format("{} {}: no time is claimed for them.",
                                     counted(rows.size(), "row is", "rows are"), name(status)),
                         few(rows)});
    }
  }
  const auto measured = tally.rows.find(Status::ok);
  const auto count = measured == tally.rows.end() ? 0 : measured->second.size();
  if (count > 0 && tally.verified == count) {
    remarks.push_back({Tone::good,
                       fmt::format("All {} measured {} verified before and after the timing.",
                                   count, count == 1 ? "row was" : "rows were"),
                       {}});
  } else if (count > 0) {
    remarks.push_back(
        {Tone::warning,
         fmt::format("{} of {} measured rows say how they were verified.", tally.verified, count),
         {}});
  }
  if (!tally.reasons.empty()) {
    std::string text;
    for (const auto& [reason, rows] : tally.reasons) {
      text += fmt::format("{}{} ({})", text.empty() ? "Not measured here: " : "; ", reason, rows);
    }
    remarks.push_back({Tone::plain, text + ".", {}});
  }
}

void tell_quality(const Tally& tally, std::vector<Remark>& remarks) {
  const auto measured = tally.rows.find(Status::ok);
  if (measured == tally.rows.end()) {
    return;
  }
  std::size_t rounds = 0;
  for (const auto& [name, processes] : tally.processes) {
    rounds = std::max(rounds, processes.size());
  }
  if (rounds > 0 && rounds < publishable_rounds) {
    remarks.push_back({Tone::warning,
                       fmt::format("{}: {} Publish and compare from --rounds {}.",
                                   counted(rounds, "round", "rounds"),
                                   rounds < comparable_rounds
                                       ? "the intervals do not hold what varies between processes."
                                       : "the intervals are wide for that reason.",
                                   publishable_rounds),
                       {}});
  }
  const auto share =
      static_cast<double>(tally.disturbed.size()) / static_cast<double>(measured->second.size());
  if (!tally.disturbed.empty()) {
    remarks.push_back(
        {share > many_disturbed ? Tone::warning : Tone::plain,
         fmt::format("The machine was busy with something else during {} ({}).",
                     counted(tally.disturbed.size(), "row", "rows"), share_text(share)),
         few(tally.disturbed)});
  }
  if (!tally.over_budget.empty()) {
    remarks.push_back({Tone::plain,
                       fmt::format("{} ended at the time budget, with a wider interval than was "
                                   "asked for.",
                                   counted(tally.over_budget.size(), "row", "rows")),
                       few(tally.over_budget)});
  }
  if (!tally.undecided.empty()) {
    remarks.push_back({Tone::plain,
                       fmt::format("{} of a search ended without a winner.",
                                   counted(tally.undecided.size(), "probe", "probes")),
                       few(tally.undecided)});
  }
  if (!tally.no_interval.empty()) {
    remarks.push_back({Tone::warning,
                       fmt::format("{} visited too few times for an interval: nothing is known of "
                                   "how far off the time is.",
                                   counted(tally.no_interval.size(), "row was", "rows were")),
                       few(tally.no_interval)});
  }
  for (const auto& [device, best] : tally.best) {
    if (best.first > 0) {
      remarks.push_back(
          {Tone::plain, fmt::format("Highest rate of {}: {}.", device, best.second), {}});
    }
  }
}

}  // namespace

std::vector<Remark> remarks_of(std::span<const Report> reports) {
  std::vector<Remark> remarks;
  std::size_t told = 0;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const auto tally = tally_of(reports[i], i);
    describe(reports[i], tally, remarks);
    tell_faults(tally, remarks);
    tell_quality(tally, remarks);
    for (; told < remarks.size(); ++told) {
      remarks[told].report = i;
    }
  }
  return remarks;
}

}  // namespace breakeven
