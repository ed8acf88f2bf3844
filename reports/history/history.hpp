// SPDX-License-Identifier: Apache-2.0
// What was measured of each case, run after run.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "reports/compare/context.hpp"
#include "reports/history/store.hpp"

namespace breakeven::history {

// All runs of one case on one machine that stand for one place on the axis.
struct Point {
  std::string label;     // a time, a commit, a driver, ...
  std::string utc;       // of the first of its runs
  std::string run_id;    // of that run
  double median_ns = 0;  // over all rounds of all its runs; 0: none has a time
  std::size_t rounds = 0;
  Status worst = Status::ok;
  std::string reason;  // of the worst
  std::set<comparison::ContextId> contexts;

  bool has_time() const { return median_ns > 0; }
};

struct Series {
  std::string machine, name;
  std::vector<Point> points;  // in the order of their first runs
};

struct History {
  comparison::Contexts contexts;
  std::vector<Series> series;
  std::size_t machines = 0, runs = 0;
  std::string first_utc, last_utc;
};

struct Wanted {
  std::set<std::string> cases, machines;  // empty: all
  std::string filter;                     // regular expression on full names
  // What runs are told apart by: `run`, `date`, `commit`, `driver` or `label:KEY`.
  std::string over = "run";
};

// Throws std::invalid_argument where `filter` or `over` is not as it should be.
History read(const Store& store, const Wanted& wanted);

}  // namespace breakeven::history
