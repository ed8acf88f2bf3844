// SPDX-License-Identifier: Apache-2.0
// Which nodes of a fleet are not as the others: slow, wrong, or not all there.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reports/fleet/collection.hpp"

namespace breakeven::fleet {

// One case on one node.
struct Cell {
  // Mean logarithm of its rounds' medians, without a fifth of them at each end, at least one from
  // three rounds on; NaN: no time.
  float log_time = std::numeric_limits<float>::quiet_NaN();
  float variance = 0;  // between rounds, of the logarithm
  float ceiling = 0;
  float disturbed = 0;      // share of the visits
  std::uint8_t rounds = 0;  // with a time
  Status worst = Status::ok;
  TextId reason = 0;  // of the worst

  bool has_time() const { return !std::isnan(log_time); }
};

// A kind of work is a case on a device, `matmul/blas:0`, with all its types, modes and sizes.
struct CaseName {
  TextId name = 0;
  std::size_t kind = 0;
  std::optional<TextId> source;  // of the ceiling
};

struct Fleet {
  Collection collection;
  std::vector<CaseName> cases;  // in the order of the files
  std::vector<std::string> kinds;
  std::vector<std::vector<Cell>> cells;  // by node, then case; empty: no row beyond

  const std::string& name(std::size_t index) const {
    return collection.texts.text(cases[index].name);
  }
  const Cell& cell(std::size_t node, std::size_t index) const {
    static const Cell none;
    return index < cells[node].size() ? cells[node][index] : none;
  }
  std::vector<std::size_t> cases_with_time() const;  // on any node
};

// Rows become cells.
Fleet fleet_of(Collection&& collection);

struct Options {
  double margin = 0.01;           // less than this is slow nowhere, however sure it is
  std::size_t fewest_nodes = 8;   // of a group that is judged
  std::size_t fewest_rounds = 3;  // of a time that a node is named for
};

// What is normal for one of the equal nodes. Logarithms of nanoseconds, and their differences.
struct NormalCase {
  std::size_t nodes = 0;  // with a time; 0: not judged
  double location = 0, spread = 0, freedom = 0;
  double variance = 0;  // between the rounds of one node
  double ceiling = 0;
};
struct Normal {
  std::string hardware;
  std::set<std::string> devices;
  std::size_t nodes = 0;
  bool is_of_others = false;   // a baseline: the nodes that are judged are not among them
  double spread = 0;           // of nodes, over all cases
  double spread_of_cases = 0;  // of one node and case, the median
  std::map<std::size_t, NormalCase> cases;
  std::map<std::size_t, double> kinds;  // spread of nodes over the cases of a kind

  struct Sign {  // a number that a node shows
    double median = 0, spread = 0;
  };
  std::map<std::string, Sign> signs;
  struct Habit {  // a fact that most of the nodes share
    std::string subject, value;
    double share = 0;
  };
  std::map<std::string, Habit> habits;  // by `what`, or `what` and the backend or device
};

enum class Extent : std::uint8_t { everywhere, kind, one_case };

struct Slowness {
  Extent extent = Extent::everywhere;
  std::size_t index = 0;                // of the kind or case
  double ratio = 1, low = 1, high = 1;  // of the time; 95 %
  std::size_t rounds = 0;               // fewest
};

struct Fault {
  std::size_t case_index = 0;
  Status status = Status::ok;
  TextId reason = 0;
};

struct KindRatio {
  std::size_t kind = 0;
  double ratio = 1;
  std::size_t cases = 0;
};

struct Verdict {
  std::size_t node = 0;
  std::vector<Slowness> slow;     // established, the most extended first
  std::vector<Slowness> suspect;  // as clear, but with too few rounds
  std::vector<Fault> faults;      // where most of the group have a time
  std::size_t missing = 0;        // cases that most of the group have and this node does not
  std::vector<KindRatio> kinds;   // of a slow node, the slowest first
  std::vector<std::string> reasons;

  bool is_out() const { return !slow.empty() || !faults.empty(); }
};

// What would have been found in four of five fleets: ratios.
struct Sensitivity {
  double everywhere = 0, one_case = 0, noisy_case = 0;  // noisy: the worst tenth of the cases
};

// Two populations of one machine type.
struct Split {
  double ratio = 1;                    // slower / faster
  std::size_t slower = 0, faster = 0;  // groups
  std::vector<std::string> differences;
};

struct Group {
  std::string label;     // A, B, ...
  std::string hardware;  // in words
  std::vector<std::size_t> nodes;
  std::size_t cases = 0, rounds = 0;  // rounds: the median
  bool is_judged = false;
  bool is_unlike_baseline = false;  // there is one, and it has no such machine
  bool by_baseline = false;
  std::optional<Normal> normal;  // of a group that is judged
  std::optional<Sensitivity> sensitivity;
  std::vector<Verdict> verdicts;     // nodes with something to tell
  std::vector<double> ratios;        // by node of `nodes`: its median ratio to the group
  std::vector<std::string> remarks;  // of the group as a whole
};

struct Judgement {
  std::vector<Group> groups;  // the largest first
  std::vector<Split> splits;
  std::size_t cases = 0;

  std::vector<std::string> nodes_out(const Fleet& fleet) const;
};

// Equal nodes are judged against one another, or against `baseline` where it knows their hardware.
Judgement judge(const Fleet& fleet, const Options& options,
                const std::vector<Normal>& baseline = {});

}  // namespace breakeven::fleet
