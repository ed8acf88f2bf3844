// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/finding_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "reports/break_even/local_fit.hpp"
#include "reports/text/usage.hpp"

namespace breakeven {
namespace {

using nlohmann::json;

constexpr std::array<const char*, 5> kind_texts{"bracket", "band", "none", "tie", "undecided"};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The size up to which the first side wins, below the setting; none where the second always does.
std::optional<std::size_t> wins_up_to(const Finding& finding) {
  if (finding.changes.empty()) {
    return std::nullopt;
  }
  return finding.changes.back().low;
}

// Text of others in a line of comment, which a last backslash would continue.
std::string comment(std::string_view start, std::string_view text) {
  std::string line = fmt::format("{}{}", start, printable(text));
  while (line.ends_with('\\')) {
    line.pop_back();
  }
  return line + "\n";
}

std::string what_was_compared(const StoredSweep& sweep) {
  return fmt::format("{} {}{}: {} against {} on {}, by breakeven find", sweep.case_name, sweep.type,
                     sweep.mode == sweep.to_mode ? " " + sweep.mode : "", sweep.names.from,
                     sweep.names.to, sweep.machine);
}

std::string settings_text(FindingFormat format, const StoredSweep& sweep,
                          const std::string& setting) {
  const bool is_header = format == FindingFormat::header;
  const char* const remark = is_header ? "// " : "# ";
  std::string text = comment(remark, what_was_compared(sweep));
  for (const std::string& line : describe(sweep.finding, sweep.names)) {
    text += comment(remark, line);
  }
  const auto high = pays_off_from(sweep.finding);
  if (!high) {
    return text + comment(remark, fmt::format("{} is left out: there is no size from which on {} "
                                              "is known to be faster.",
                                              setting, sweep.names.to));
  }
  const auto low = wins_up_to(sweep.finding);
  const auto define = [&](const std::string& name, std::size_t value) {
    text += is_header ? fmt::format("#define {} {}\n", name, value)
                      : fmt::format("{}={}\n", name, value);
  };
  text += is_header ? fmt::format("#ifndef {}\n", setting) : "";
  define(setting, *high);
  if (low) {
    define(setting + "_LOW", *low);
  }
  return text + (is_header ? "#endif\n" : "");
}

}  // namespace

std::optional<std::size_t> pays_off_from(const Finding& finding) {
  if (!finding.changes.empty()) {
    const Change& last = finding.changes.back();
    return last.below == Faster::from ? std::optional(last.high) : std::nullopt;
  }
  if (finding.kind == Finding::Kind::none && finding.winner == Faster::to) {
    const auto first = std::find_if(finding.probes.begin(), finding.probes.end(),
                                    [](const Probe& probe) { return probe.faster == Faster::to; });
    return first->size;
  }
  return std::nullopt;
}

json finding_json(const StoredSweep& sweep) {
  const Finding& finding = sweep.finding;
  json sizes = json::array();
  for (const Probe& probe : finding.probes) {
    sizes.push_back({{"size", probe.size},
                     {"from_ns", probe.from_ns},
                     {"to_ns", probe.to_ns},
                     {"faster", text_of(probe.faster)},
                     {"ratio", std::exp(probe.log_ratio)},
                     {"ratio_low", std::exp(probe.low)},
                     {"ratio_high", std::exp(probe.high)},
                     {"paired", probe.is_paired}});
  }
  const auto size = pays_off_from(finding);
  json one{{"machine", sweep.machine},
           {"case", sweep.case_name},
           {"type", sweep.type},
           {"mode", sweep.mode},
           {"to_mode", sweep.to_mode},
           {"from", sweep.names.from},
           {"to", sweep.names.to},
           {"axis", sweep.names.axis},
           {"kind", kind_texts.at(static_cast<std::size_t>(finding.kind))},
           {"pays_off_from", size ? json(*size) : json()},
           {"text", describe(finding, sweep.names)},
           {"searched", sweep.is_search},
           {"sizes", std::move(sizes)}};
  if (!finding.changes.empty()) {
    one["low"] = finding.low();
    one["high"] = finding.high();
  }
  if (const auto fit = local_fit(finding)) {
    one["crossing"] = {{"size", fit->size}, {"low", fit->low}, {"high", fit->high}};
  }
  return one;
}

void require_setting_name(const std::string& setting) {
  const auto fits = [](char c) { return is_letter(c) || is_digit(c); };
  if (setting.empty() || is_digit(setting.front()) ||
      !std::all_of(setting.begin(), setting.end(), fits)) {
    throw UsageError(fmt::format(
        "--export-as '{}' is no name of a variable; take letters, digits and _, as MIN_BATCH",
        printable(setting)));
  }
}

std::string setting_name(const StoredSweep& sweep) {
  std::string name =
      fmt::format("BREAKEVEN_{}_{}_{}", sweep.case_name, sweep.type, sweep.names.axis);
  for (char& c : name) {
    c = !is_letter(c) && !is_digit(c) ? '_' : c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c;
  }
  return name;
}

std::string findings_text(FindingFormat format, std::span<const StoredSweep> sweeps,
                          std::string setting) {
  if (sweeps.size() != 1 && (format != FindingFormat::json || !setting.empty())) {
    throw UsageError(fmt::format(
        "one setting cannot hold {} findings; choose one with --from, --to, --mode and --type, or "
        "take --format json without --export-as",
        sweeps.size()));
  }
  if (format != FindingFormat::json) {
    return settings_text(format, sweeps[0], setting.empty() ? setting_name(sweeps[0]) : setting);
  }
  json findings = json::array(), settings = json::object();
  for (const StoredSweep& sweep : sweeps) {
    findings.push_back(finding_json(sweep));
    if (sweeps.size() == 1) {
      settings[setting.empty() ? setting_name(sweep) : setting] = findings[0]["pays_off_from"];
    }
  }
  const json all{{"version", 1}, {"settings", settings}, {"findings", findings}};
  return all.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace breakeven
