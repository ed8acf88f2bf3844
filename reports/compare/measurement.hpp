// SPDX-License-Identifier: Apache-2.0
// The rows of some reports, gathered by group and case: what is compared with what.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "reports/compare/context.hpp"
#include "reports/reader/paired_rows.hpp"
#include "reports/reader/report.hpp"

namespace breakeven::comparison {

// All rounds of one case in one group.
struct Measurement {
  std::vector<double> round_medians;            // of the rows that are ok, nanoseconds
  std::optional<TimeInterval> visits_interval;  // inside the first of them
  std::vector<double> ceiling_shares;
  std::int64_t visits = 0, disturbed_visits = 0;  // of all rounds
  std::optional<Status> worst;                    // of the rows that are not ok
  std::string reason;                             // of that row
  std::vector<RowVisits> visits_of_rounds;        // where groups are parts of a key: these may pair
  std::set<ContextId> contexts;
  std::vector<std::size_t> processes;  // hashes of the run and round of each row
};

// A time with its interval. From three rounds on that is Student's t on the logarithms of the
// rounds' medians, widened to hold their median where one round is far off; of one round, that of
// its visits.
struct Summary {
  double median = 0;  // of the rounds' medians
  std::optional<double> low, high;
  std::size_t rounds = 0;
};
std::optional<Summary> summary(const Measurement& measurement);

struct Group {
  std::string label;
  std::set<std::string> machines;
  std::string first_utc, last_utc;                     // of its rows; empty: unknown
  std::unordered_map<std::size_t, Measurement> cases;  // by index into Grouped::cases
  UsedContexts contexts;                               // by backend
};

struct CaseName {
  std::string name;  // with `*` where the groups differ
  std::string backend;
};

struct Grouped {
  std::vector<Group> groups;
  std::vector<CaseName> cases;  // in the order of the files
  Contexts contexts;
  bool by_key = false;            // groups are different cases: described, never judged
  bool by_variant = false;        // of one backend, measured side by side: what differs is meant
  std::size_t searches = 0;       // rows of `find`, which stand for no case and are not compared
  std::size_t repeated = 0;       // rows that another report of the group holds too: counted once
  std::vector<std::size_t> rows;  // by report: how many of its rows have a case and are wanted
};

// `by`: `file` (rows of several machines in one file are apart), `run`, `machine`, `label:KEY`,
// `variant` (`old` of `serial@old`, `plain` of `serial`), or a column. Rows whose name `wanted`
// refuses are skipped. Throws std::invalid_argument.
Grouped group_rows(std::span<const Report> reports, const std::string& by,
                   const std::function<bool(std::string_view)>& wanted);

}  // namespace breakeven::comparison
