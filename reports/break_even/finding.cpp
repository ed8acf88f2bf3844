// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/finding.hpp"

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

Finding finding_of(std::vector<Probe> probes) {
  Finding finding;
  finding.probes = std::move(probes);
  std::sort(finding.probes.begin(), finding.probes.end(),
            [](const Probe& x, const Probe& y) { return x.size < y.size; });
  finding.changes = changes_of(finding.probes);

  const auto winner = std::find_if(finding.probes.begin(), finding.probes.end(), has_winner);
  const bool all_tie =
      !finding.probes.empty() &&
      std::all_of(finding.probes.begin(), finding.probes.end(),
                  [](const Probe& probe) { return probe.faster == Faster::neither; });
  if (finding.changes.size() > 1) {
    finding.kind = Finding::Kind::band;
  } else if (finding.changes.size() == 1) {
    finding.kind = Finding::Kind::bracket;
  } else if (winner != finding.probes.end()) {
    finding.kind = Finding::Kind::none;
    finding.winner = winner->faster;
  } else if (all_tie) {
    finding.kind = Finding::Kind::tie;
  }
  return finding;
}

}  // namespace breakeven
