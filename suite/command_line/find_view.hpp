// SPDX-License-Identifier: Apache-2.0
// Shows a search while it goes on, and what it found.
#pragma once

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>

#include "reports/break_even/explanation.hpp"
#include "reports/break_even/search.hpp"

namespace breakeven {

// On a terminal one line that changes: the axis, who won where, and the bracket as it closes.
// Elsewhere a line per visit.
class FindView {
 public:
  FindView(std::FILE* stream, const Names& names, const Axis& axis);
  ~FindView();

  // `decided`: this visit is over; `seconds`: what the search took so far.
  void look(const Finding& so_far, const Probe& current, bool decided, double seconds);

 private:
  void draw(const Finding& so_far, const Probe& current, double seconds);
  void print_line(const Finding& so_far, const Probe& current, double seconds);

  std::FILE* stream_;
  bool live_;
  const Names names_;
  const Axis axis_;
  std::chrono::steady_clock::time_point drawn_;
};

// The line that changes: the axis where there is room for it, who is ahead, at which size the
// search is. Leaves the last of `width` columns free, so that it never wraps.
std::string search_line(const Finding& so_far, const Names& names, const Axis& axis,
                        std::size_t size, double seconds, std::size_t width);

// `8 <───<────<··>──>────> 8192`: sizes on a logarithmic axis of `width` columns, `<` where the
// first side won, `>` where the second did, `=` a tie, `?` not decided, dots where the winner
// changes.
std::string axis_strip(const Finding& finding, const Axis& axis, std::size_t width);

// Every size with both times, their ratio with its interval, and who won; without the interval
// where a line would be longer than `width`.
std::string probe_table(const Finding& finding, const Names& names, bool colour,
                        std::optional<std::size_t> width);

}  // namespace breakeven
