// SPDX-License-Identifier: Apache-2.0
// The verdicts: one per case and group that is not the base.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reports/compare/measurement.hpp"
#include "reports/statistics/effect.hpp"

namespace breakeven::comparison {

enum class Verdict : std::uint8_t {
  regressed,
  improved,
  equivalent,      // the interval lies inside the margin
  inconclusive,    // with the smallest effect that could have been seen
  not_comparable,  // the contexts differ in what was not expected to
  missing,         // one side has no time
  invalid,         // one side has a fault: severity.hpp
  described,       // different machines or cases: no judgement
};

inline constexpr std::array<std::string_view, 8> verdict_names{
    "regressed",      "improved", "equivalent", "inconclusive",
    "not comparable", "missing",  "invalid",    "described"};

constexpr std::string_view name(Verdict verdict) {
  return verdict_names[static_cast<std::size_t>(verdict)];
}

struct ComparisonOptions {
  std::string base;                // label or path of a group; empty: the first
  std::set<std::string> expected;  // subjects that were meant to differ
  double margin = 0.02;            // equivalent within ± this
  double false_discovery_rate = 0.05;
};

struct CaseComparison {
  std::size_t case_index = 0;
  std::size_t group = 0;  // the other one
  std::optional<Summary> base, other;
  std::optional<double> base_share, other_share;  // of each side's own ceiling
  std::optional<double> ratio;                    // time of other / time of base
  std::optional<PairedRatio> paired;  // where both were measured side by side: then that is `ratio`
  std::optional<Effect> effect;       // from two rounds on each side
  std::optional<double> adjusted_p;   // over all cases that are judged
  std::optional<double> permutation_p;   // from eight rounds on each side
  std::optional<double> smallest_ratio;  // that would have been seen, where it is judged
  Verdict verdict = Verdict::described;
  std::string why;             // in words, where the verdict is not all
  double disturbed_share = 0;  // of the visits on both sides
};

struct GeometricMean {
  std::size_t group = 0;
  double ratio = 1;
  std::size_t cases = 0;
};

struct Comparison {
  std::size_t base = 0;               // index of a group
  std::vector<bool> is_judged;        // by group: the same machine as the base
  std::vector<bool> is_namesake;      // by group: only the name is that of the base's machine
  std::vector<CaseComparison> cases;  // by case, then group
  std::vector<Difference> differences;
  std::vector<GeometricMean> means;  // by group but the base
  std::size_t not_measured = 0;      // cases that have no time on any side, for no fault
};

// Throws std::invalid_argument where `base` or a subject is unknown or there is nothing to compare.
Comparison compare(const Grouped& grouped, const ComparisonOptions& options);

// 0 no regression; 1 regression; 3 not comparable, missing or invalid; 4 inconclusive, if strict.
int exit_status(const Comparison& comparison, bool strict);

}  // namespace breakeven::comparison
