// SPDX-License-Identifier: Apache-2.0
#include "reports/break_even/outcome.hpp"

#include <gtest/gtest.h>

namespace breakeven {
namespace {

constexpr auto from = Faster::from;
constexpr auto to = Faster::to;
constexpr auto neither = Faster::neither;
constexpr auto undecided = Faster::undecided;

// Sizes 10, 20, 30, …
Outcome outcome_of(std::initializer_list<Faster> verdicts) {
  std::vector<Probe> probes;
  for (const Faster faster : verdicts) {
    probes.push_back({.size = 10 * (probes.size() + 1), .faster = faster});
  }
  return breakeven::outcome_of(std::move(probes));
}

TEST(Outcome, one_change_is_a_bracket_of_confirmed_sizes) {
  const Outcome outcome = outcome_of({from, from, neither, undecided, to, to});
  EXPECT_EQ(outcome.kind, Outcome::Kind::bracket);
  EXPECT_EQ(outcome.low(), 20u);
  EXPECT_EQ(outcome.high(), 50u);
  EXPECT_EQ(outcome.changes.front().below, from);
}

TEST(Outcome, the_other_direction_is_a_bracket_too) {
  const Outcome outcome = outcome_of({to, from});
  EXPECT_EQ(outcome.kind, Outcome::Kind::bracket);
  EXPECT_EQ(outcome.changes.front().below, to);
}

TEST(Outcome, several_changes_are_a_band_from_the_first_to_the_last) {
  const Outcome outcome = outcome_of({from, from, to, from, to});
  EXPECT_EQ(outcome.kind, Outcome::Kind::band);
  EXPECT_EQ(outcome.changes.size(), 3u);
  EXPECT_EQ(outcome.low(), 20u);
  EXPECT_EQ(outcome.high(), 50u);
}

TEST(Outcome, no_change_names_the_winner_and_has_no_size) {
  const Outcome outcome = outcome_of({neither, to, undecided, to});
  EXPECT_EQ(outcome.kind, Outcome::Kind::none);
  EXPECT_EQ(outcome.winner, to);
  EXPECT_EQ(outcome.low(), 0u);
}

TEST(Outcome, ties_everywhere_are_a_tie_and_an_open_size_leaves_it_open) {
  EXPECT_EQ(outcome_of({neither, neither}).kind, Outcome::Kind::tie);
  EXPECT_EQ(outcome_of({neither, undecided}).kind, Outcome::Kind::undecided);
  EXPECT_EQ(outcome_of({}).kind, Outcome::Kind::undecided);
}

TEST(Outcome, probes_may_come_in_any_order) {
  const Outcome outcome = breakeven::outcome_of(
      {{.size = 64, .faster = to}, {.size = 8, .faster = from}, {.size = 16, .faster = from}});
  EXPECT_EQ(outcome.low(), 16u);
  EXPECT_EQ(outcome.high(), 64u);
  EXPECT_EQ(outcome.probes.front().size, 8u);
}

}  // namespace
}  // namespace breakeven
