// SPDX-License-Identifier: Apache-2.0
// The break-even point that the rows of a report support, and no more: nothing is measured, and
// sizes between the rows stay open.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/break_even/explanation.hpp"
#include "reports/break_even/finding.hpp"
#include "reports/reader/report.hpp"

namespace breakeven {

// Empty: any. A device is `serial:0`; a backend's name alone means all of its devices.
struct SweepSide {
  std::string device, mode, memory = {};
};

struct SweepQuery {
  std::string case_name;
  SweepSide from, to;
  std::string type = {};
  std::string axis = {};  // n, m, k, batch, count or bytes; empty: the first of these that varies
};

// Two sides that did the same work at the sizes of one axis, everything else alike.
struct StoredSweep {
  Names names;
  std::string machine;
  std::string case_name, type, mode, to_mode;  // mode of the first side, and of the second
  bool is_search = false;                      // the rows of one `find`
  std::string common;  // what else is alike, as `memory=pinned`; may be empty
  Finding finding;
  std::vector<Observation> from, to;
  // Where each probe of the finding comes from: row indices of both sides.
  std::vector<std::vector<std::size_t>> from_rows, to_rows;
};

// Every pair of sides that the query allows and that shares at least two sizes, in the order of the
// report; of two sides each pair appears once. Sizes are decided by the paired ratio, 99 %, where
// the rows were measured side by side; else by Welch's t on the round medians where both sides have
// three rounds; else a winner is one whose median interval lies wholly below the other's in all
// rounds. Rows of `find` are paired block by block as the search did, and stay apart from others.
std::vector<StoredSweep> stored_sweeps(const Report& report, const SweepQuery& query);

}  // namespace breakeven
