// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/finding.hpp"

#include <gtest/gtest.h>

namespace breakeven {
namespace {

using enum Faster;

// Sizes 10, 20, 30, …
Finding finding_of(std::initializer_list<Faster> verdicts) {
  std::vector<Probe> probes;
  for (const Faster faster : verdicts) {
    probes.push_back({.size = 10 * (probes.size() + 1), .faster = faster});
  }
  return breakeven::finding_of(std::move(probes));
}

TEST(Finding, one_change_is_a_bracket_of_confirmed_sizes) {
  const Finding finding = finding_of({from, from, neither, undecided, to, to});
  EXPECT_EQ(finding.kind, Finding::Kind::bracket);
  EXPECT_EQ(finding.low(), 20u);
  EXPECT_EQ(finding.high(), 50u);
  EXPECT_EQ(finding.changes.front().below, from);
}

TEST(Finding, the_other_direction_is_a_bracket_too) {
  const Finding finding = finding_of({to, from});
  EXPECT_EQ(finding.kind, Finding::Kind::bracket);
  EXPECT_EQ(finding.changes.front().below, to);
}

TEST(Finding, several_changes_are_a_band_from_the_first_to_the_last) {
  const Finding finding = finding_of({from, from, to, from, to});
  EXPECT_EQ(finding.kind, Finding::Kind::band);
  EXPECT_EQ(finding.changes.size(), 3u);
  EXPECT_EQ(finding.low(), 20u);
  EXPECT_EQ(finding.high(), 50u);
}

TEST(Finding, no_change_names_the_winner_and_has_no_size) {
  const Finding finding = finding_of({neither, to, undecided, to});
  EXPECT_EQ(finding.kind, Finding::Kind::none);
  EXPECT_EQ(finding.winner, to);
  EXPECT_EQ(finding.low(), 0u);
}

TEST(Finding, ties_everywhere_are_a_tie_and_an_open_size_leaves_it_open) {
  EXPECT_EQ(finding_of({neither, neither}).kind, Finding::Kind::tie);
  EXPECT_EQ(finding_of({neither, undecided}).kind, Finding::Kind::undecided);
  EXPECT_EQ(finding_of({}).kind, Finding::Kind::undecided);
}

TEST(Finding, probes_may_come_in_any_order) {
  const Finding finding = breakeven::finding_of(
      {{.size = 64, .faster = to}, {.size = 8, .faster = from}, {.size = 16, .faster = from}});
  EXPECT_EQ(finding.low(), 16u);
  EXPECT_EQ(finding.high(), 64u);
  EXPECT_EQ(finding.probes.front().size, 8u);
}

}  // namespace
}  // namespace breakeven
