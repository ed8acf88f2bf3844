// SPDX-License-Identifier: Apache-2.0
// What a set of probed sizes says about the break-even point, however they were measured.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace breakeven {

enum class Faster { from, to, neither, undecided };  // neither: they differ by less than the margin

// As in the details of a row: `from`, `to`, `neither`, `undecided`.
std::string_view text_of(Faster faster);
std::optional<Faster> faster_named(std::string_view text);

// One size and what was found there. Log ratios are ln(t_to / t_from): positive where `from` wins.
struct Probe {
  std::size_t size = 0;
  Faster faster = Faster::undecided;
  double log_ratio = 0, low = 0, high = 0;  // median and its interval
  double from_ns = 0, to_ns = 0;            // medians, per repetition
  std::string reason = {};                  // why it is undecided
  bool is_paired = false;                   // measured side by side: what slowed one slowed both
};

// `below` wins at `low`, the other one at `high`; in between nothing is confirmed.
struct Change {
  std::size_t low = 0, high = 0;
  Faster below = Faster::undecided;
};

struct Finding {
  // band: the winner changes more than once; the band reaches from the first change to the last.
  // none: one side wins wherever there is a winner. tie: nobody wins anywhere. undecided: the
  // probes do not even say that.
  enum class Kind { bracket, band, none, tie, undecided };
  Kind kind = Kind::undecided;
  std::vector<Change> changes;
  Faster winner = Faster::undecided;  // of kind none
  std::vector<Probe> probes;          // by size

  // The bracket, or the whole band; zero without a change.
  std::size_t low() const { return changes.empty() ? 0 : changes.front().low; }
  std::size_t high() const { return changes.empty() ? 0 : changes.back().high; }
};

// The probes in any order, each size once.
Finding finding_of(std::vector<Probe> probes);

}  // namespace breakeven
