// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/outcome.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace breakeven {
namespace {

constexpr std::array<std::string_view, 4> faster_names{"from", "to", "neither", "undecided"};

bool has_winner(const Probe& probe) {
  return probe.faster == Faster::from || probe.faster == Faster::to;
}

std::vector<Change> changes_of(const std::vector<Probe>& probes) {
  std::vector<Change> changes;
  const Probe* before = nullptr;
  for (const Probe& probe : probes) {
    if (!has_winner(probe)) continue;
    if (before != nullptr && before->faster != probe.faster)
      changes.push_back({before->size, probe.size, before->faster});
    before = &probe;
  }
  return changes;
}

}  // namespace

std::string_view text_of(Faster faster) {
  return faster_names[static_cast<std::size_t>(faster)];
}

std::optional<Faster> faster_named(std::string_view text) {
  const auto found = std::find(faster_names.begin(), faster_names.end(), text);
  if (found == faster_names.end()) {
    return std::nullopt;
  }
  return static_cast<Faster>(found - faster_names.begin());
}

Outcome outcome_of(std::vector<Probe> probes) {
  Outcome outcome;
  outcome.probes = std::move(probes);
  std::sort(outcome.probes.begin(), outcome.probes.end(),
            [](const Probe& x, const Probe& y) { return x.size < y.size; });
  outcome.changes = changes_of(outcome.probes);

  const auto winner = std::find_if(outcome.probes.begin(), outcome.probes.end(), has_winner);
  const bool all_tie =
      !outcome.probes.empty() &&
      std::all_of(outcome.probes.begin(), outcome.probes.end(),
                  [](const Probe& probe) { return probe.faster == Faster::neither; });
  if (outcome.changes.size() > 1) {
    outcome.kind = Outcome::Kind::band;
  } else if (outcome.changes.size() == 1) {
    outcome.kind = Outcome::Kind::bracket;
  } else if (winner != outcome.probes.end()) {
    outcome.kind = Outcome::Kind::none;
    outcome.winner = winner->faster;
  } else if (all_tie) {
    outcome.kind = Outcome::Kind::tie;
  }
  return outcome;
}

}  // namespace breakeven
