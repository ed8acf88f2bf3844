// SPDX-License-Identifier: Apache-2.0
#include "reports/fleet/reasons.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/statistics/order_statistics.hpp"
#include "reports/statistics/spread.hpp"
#include "reports/text/quantity.hpp"

namespace breakeven::fleet {
namespace {

constexpr std::string_view ceiling_sign = "ceiling ";
constexpr std::string_view disturbed_sign = "disturbed";
constexpr std::string_view rounds_sign = "between rounds";

std::string named(const Texts& texts, const StoredFact& fact) {
  const auto& of = texts.text(fact.of);
  return of.empty() ? texts.text(fact.what) : texts.text(fact.what) + "\n" + of;
}

// What it is called without the column that it stands in: `microcode`, `core_type of blas`.
std::string shown(const std::string& name) {
  const auto line = name.find('\n');
  auto what = name.substr(0, line);
  if (const auto space = what.find(' '); space != what.npos) {
    what = what.substr(space + 1);
  }
  std::replace(what.begin(), what.end(), '_', ' ');
  return line == name.npos ? what : what + " of " + name.substr(line + 1);
}

using Values = std::map<std::string, std::string>;  // by name of the fact

Values values_of(const Fleet& fleet, std::size_t node) {
  const auto& texts = fleet.collection.texts;
  Values values;
  for (const auto& fact : fleet.collection.nodes[node].facts) {
    values.emplace(named(texts, fact), texts.text(fact.value));
  }
  return values;
}

// How often each value of a fact occurs.
using Counts = std::map<std::string, std::map<std::string, std::size_t>>;

Counts counts_of(const Fleet& fleet, const std::vector<std::size_t>& nodes) {
  Counts counts;
  for (const auto node : nodes) {
    for (const auto& [name, value] : values_of(fleet, node)) {
      ++counts[name][value];
    }
  }
  return counts;
}

std::pair<std::string, double> most_frequent(const std::map<std::string, std::size_t>& values,
                                             std::size_t nodes) {
  const auto most =
      std::max_element(values.begin(), values.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return {most->first, static_cast<double>(most->second) / static_cast<double>(nodes)};
}

std::map<std::string, double> signs_of(const Fleet& fleet, const Normal& normal, std::size_t node) {
  const auto& texts = fleet.collection.texts;
  std::map<std::string, double> signs;
  std::map<TextId, std::vector<double>> ceilings;
  std::vector<double> disturbed, restless;
  for (const auto& [index, entry] : normal.cases) {
    const auto& cell = fleet.cell(node, index);
    if (!cell.has_time()) {
      continue;
    }
    disturbed.push_back(static_cast<double>(cell.disturbed));
    if (cell.rounds > 1 && entry.variance > 0) {
      restless.push_back(std::sqrt(static_cast<double>(cell.variance) / entry.variance));
    }
    if (const auto source = fleet.cases[index].source;
        source && cell.ceiling > 0 && entry.ceiling > 0) {
      ceilings[*source].push_back(static_cast<double>(cell.ceiling) / entry.ceiling);
    }
  }
  for (const auto& [source, ratios] : ceilings) {
    signs.emplace(std::string(ceiling_sign) + texts.text(source), median(ratios));
  }
  if (!disturbed.empty()) {
    double sum = 0;
    for (const double share : disturbed) {
      sum += share;
    }
    signs.emplace(disturbed_sign, sum / static_cast<double>(disturbed.size()));
  }
  if (!restless.empty()) {
    signs.emplace(rounds_sign, median(restless));
  }
  for (const auto& reading : fleet.collection.nodes[node].readings) {
    signs.emplace(texts.text(reading.what), reading.mean());
  }
  return signs;
}

std::string number_text(const std::string& name, double value) {
  return name.ends_with("_ns")      ? time_text(value)
         : name.ends_with("_bytes") ? bytes_text(value)
                                    : short_number(value);
}

bool is_far(double value, const Normal::Sign& usual) {
  constexpr double far = 4;
  return std::abs(value - usual.median) > far * usual.spread;
}

// One line on a number that is not as on the others; empty where it is.
std::string reason_of_sign(const std::string& name, double value, const Normal::Sign& usual) {
  if (!is_far(value, usual)) {
    return {};
  }
  const double off = std::abs(value - usual.median);
  const double least = 0.05 * std::abs(usual.median);
  if (name == disturbed_sign) {
    return off < 0.1 || value < usual.median
               ? ""
               : fmt::format("disturbed in {} of the visits ({} on the others)", share_text(value),
                             share_text(usual.median));
  }
  if (name == rounds_sign) {
    return value < 2 ? "" : fmt::format("its rounds differ {} times as much", short_number(value));
  }
  if (off < least || (name.ends_with("_ns") && off < 1e6)) {
    return {};
  }
  auto words = name;
  if (words.ends_with("_ns")) {
    words.resize(words.size() - 3);
  } else if (words.ends_with("_bytes")) {
    words.resize(words.size() - 6);
  }
  std::replace(words.begin(), words.end(), '_', ' ');
  return fmt::format("{} {} ({})", words, number_text(name, value),
                     number_text(name, usual.median));
}

std::vector<std::string> reasons_of(const Fleet& fleet, const Normal& normal, std::size_t node) {
  std::vector<std::string> reasons;
  std::vector<std::pair<double, std::string>> ceilings;  // that are not as on the others
  for (const auto& [name, value] : signs_of(fleet, normal, node)) {
    const auto usual = normal.signs.find(name);
    if (usual == normal.signs.end()) {
      continue;
    }
    if (name.starts_with(ceiling_sign)) {
      if (is_far(value, usual->second) && std::abs(value - usual->second.median) >= 0.03) {
        ceilings.emplace_back(value, name.substr(ceiling_sign.size()));
      }
    } else if (auto reason = reason_of_sign(name, value, usual->second); !reason.empty()) {
      reasons.push_back(std::move(reason));
    }
  }
  if (!ceilings.empty()) {
    std::sort(ceilings.begin(), ceilings.end());
    const auto& [low, name] = ceilings.front();
    reasons.insert(
        reasons.begin(),
        ceilings.size() == 1
            ? fmt::format("its own ceiling {} is {}", name, times_text(low))
            : fmt::format("its own ceilings: {} {} and {} more, up to {}", name, times_text(low),
                          ceilings.size() - 1, times_text(ceilings.back().first)));
  }
  const auto values = values_of(fleet, node);
  std::map<std::string, std::set<std::string>> said;  // of which backends, by what is said of them
  std::vector<std::string> order;
  for (const auto& [name, habit] : normal.habits) {
    const auto value = values.find(name);
    if (value == values.end() || value->second == habit.value) {
      continue;
    }
    const auto line = name.find('\n');
    const auto what = shown(name.substr(0, line));
    const auto text = fmt::format("{} {} ({})", what, value->second, habit.value);
    const auto [at, is_new] = said.try_emplace(text);
    if (is_new) {
      order.push_back(text);
    }
    if (line != name.npos) {
      at->second.insert(
          name.substr(line + 1));  // schema 1 has a plugin's facts among its libraries too
    }
  }
  for (const auto& text : order) {
    std::string of;
    for (const auto& backend : said.at(text)) {
      of += (of.empty() ? "" : ", ") + backend;
    }
    reasons.push_back(of.empty() ? text : of + ": " + text);
  }
  return reasons;
}

}  // namespace

std::string hardware_text(const Fleet& fleet, const std::vector<std::size_t>& nodes) {
  std::set<std::string> devices;
  for (const auto node : nodes) {
    const auto& own = fleet.collection.nodes[node].devices;
    devices.insert(own.begin(), own.end());
  }
  const auto values = values_of(fleet, nodes[0]);
  const auto value = [&](const char* name) {
    const auto at = values.find(name);
    return at == values.end() ? std::string() : at->second;
  };
  auto text = value("cpu_model").empty() ? "unknown processor" : value("cpu_model");
  const auto family = value("machine_facts cpu_family");
  const auto model = value("machine_facts cpu_model_number");
  if (!family.empty() && !model.empty()) {
    text += fmt::format(" (family {}, model {})", family, model);
  }
  const auto cores = value("cpu_cores");
  text += cores.empty() ? "" : fmt::format(", {} {}", cores, cores == "1" ? "core" : "cores");
  for (const auto& device : devices) {
    text += ", " + device;
  }
  return text;
}

void learn_habits(const Fleet& fleet, Group& group) {
  constexpr double most = 0.6;
  std::vector<std::size_t> sound;
  for (const auto node : group.nodes) {
    const bool is_out = std::any_of(
        group.verdicts.begin(), group.verdicts.end(),
        [&](const Verdict& verdict) { return verdict.node == node && verdict.is_out(); });
    if (!is_out) {
      sound.push_back(node);
    }
  }
  if (sound.empty()) {
    return;
  }
  auto& normal = *group.normal;
  std::map<std::string, std::string> subjects;
  const auto& texts = fleet.collection.texts;
  for (const auto& fact : fleet.collection.nodes[sound[0]].facts) {
    subjects.emplace(named(texts, fact), texts.text(fact.subject));
  }
  for (const auto& [name, values] : counts_of(fleet, sound)) {
    const auto [value, share] = most_frequent(values, sound.size());
    if (share >= most) {
      normal.habits.emplace(name, Normal::Habit{subjects[name], value, share});
    }
  }
  std::map<std::string, std::vector<double>> numbers;
  for (const auto node : sound) {
    for (const auto& [name, value] : signs_of(fleet, normal, node)) {
      numbers[name].push_back(value);
    }
  }
  for (const auto& [name, values] : numbers) {
    normal.signs.emplace(name, Normal::Sign{median(values), std::sqrt(biweight_variance(values))});
  }
}

void explain(const Fleet& fleet, Group& group) {
  std::vector<std::size_t> slow, others;
  for (const auto node : group.nodes) {
    const auto verdict = std::find_if(group.verdicts.begin(), group.verdicts.end(),
                                      [&](const Verdict& entry) { return entry.node == node; });
    const bool is_slow = verdict != group.verdicts.end() && !verdict->slow.empty();
    (is_slow ? slow : others).push_back(node);
  }
  for (auto& verdict : group.verdicts) {
    verdict.reasons = reasons_of(fleet, *group.normal, verdict.node);
  }
  if (slow.size() >= 3 && !others.empty()) {
    for (const auto& difference : what_parts(fleet, slow, others)) {
      group.remarks.push_back(
          fmt::format("the {} slow nodes alone have in common: {}", slow.size(), difference));
    }
  }
}

std::vector<std::string> what_parts(const Fleet& fleet, const std::vector<std::size_t>& ones,
                                    const std::vector<std::size_t>& others) {
  constexpr double nearly_all = 0.9;
  const auto here = counts_of(fleet, ones), there = counts_of(fleet, others);
  std::vector<std::string> differences;
  for (const auto& [name, values] : here) {
    const auto counterpart = there.find(name);
    if (counterpart == there.end()) {
      continue;
    }
    const auto [value, share] = most_frequent(values, ones.size());
    const auto [other, share_there] = most_frequent(counterpart->second, others.size());
    const auto taken = counterpart->second.find(value);
    const auto strays = taken == counterpart->second.end() ? 0.0
                                                           : static_cast<double>(taken->second) /
                                                                 static_cast<double>(others.size());
    if (share >= nearly_all && strays <= 1 - nearly_all && value != other) {
      differences.push_back(share_there >= nearly_all
                                ? fmt::format("{} {} ({})", shown(name), value, other)
                                : fmt::format("{} {}", shown(name), value));
    }
  }
  return differences;
}

std::string beside(const Fleet& fleet, const Group& base, const Group& other) {
  const auto time_of = [&](const Group& group, std::size_t index) -> std::optional<double> {
    std::vector<double> times;
    for (const auto node : group.nodes) {
      if (const auto& cell = fleet.cell(node, index); cell.has_time()) {
        times.push_back(static_cast<double>(cell.log_time));
      }
    }
    return times.empty() ? std::nullopt : std::optional(median(times));
  };
  std::vector<double> all;
  std::map<std::size_t, std::vector<double>> by_kind;
  for (std::size_t index = 0; index < fleet.cases.size(); ++index) {
    const auto here = time_of(base, index), there = time_of(other, index);
    if (here && there) {
      all.push_back(*there - *here);
      by_kind[fleet.cases[index].kind].push_back(all.back());
    }
  }
  if (all.empty()) {
    return {};
  }
  const bool is_faster = median(all) < 0;
  const double sign = is_faster ? -1 : 1;
  auto text =
      fmt::format("{} takes {} as long as {} in the median of the {} cases that both have",
                  is_faster ? base.label : other.label, times_text(std::exp(sign * median(all))),
                  is_faster ? other.label : base.label, all.size());
  std::vector<std::pair<double, std::size_t>> kinds;
  for (const auto& [kind, ratios] : by_kind) {
    kinds.emplace_back(sign * median(ratios), kind);
  }
  std::sort(kinds.begin(), kinds.end());
  if (kinds.size() > 1) {
    const auto named_kind = [&](const auto& entry) {
      return fmt::format("{} in {}", times_text(std::exp(entry.first)), fleet.kinds[entry.second]);
    };
    text += fmt::format(", from {} to {}", named_kind(kinds.front()), named_kind(kinds.back()));
  }
  const auto counts = counts_of(fleet, base.nodes);
  for (const auto& [name, values] : counts_of(fleet, other.nodes)) {
    const bool tells = name == "vector_extensions" || name.starts_with("backend_facts ") ||
                       name == "cpu_cores" || name == "memory_bytes";
    const auto counterpart = counts.find(name);
    if (!tells || counterpart == counts.end() || name.starts_with("backend_facts build")) {
      continue;
    }
    const auto there = most_frequent(values, other.nodes.size()).first;
    const auto here = most_frequent(counterpart->second, base.nodes.size()).first;
    text +=
        there == here ? "" : fmt::format("; {} {} ({}: {})", shown(name), there, base.label, here);
  }
  return text;
}

}  // namespace breakeven::fleet
