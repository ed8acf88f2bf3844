// SPDX-License-Identifier: Apache-2.0
// Ceilings that are measured again and again in a run: clocks, memory and other load change within
// seconds, and a share holds only against what the machine could do at that time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "suite/measure/ceilings.hpp"

namespace breakeven {

// Times are nanoseconds of a steady clock, and do not go back.
class CeilingLog {
 public:
  // What was measured from `begin_ns` to `end_ns`; nothing: it failed, and all are asked for less
  // often. One of 0 is none: what was known of it holds.
  void add(std::int64_t begin_ns, std::int64_t end_ns, const Ceilings& measured);

  // When it is to be measured again, for which no more than a twentieth of the time goes. None
  // where it is unknown.
  std::optional<std::int64_t> due_ns(std::string_view name) const;

  // The highest ever measured; 0: none.
  double best(std::string_view name) const;

  // Each ceiling known: the median of what was measured from `begin_ns` to `end_ns`, else the last
  // before that.
  Ceilings between(std::int64_t begin_ns, std::int64_t end_ns) const;

 private:
  struct Value {
    double value;
    std::int64_t at_ns;
  };
  struct History {
    Ceiling ceiling;  // the latest
    std::vector<Value> values;
    std::int64_t due_ns = 0;
  };
  std::vector<History> histories_;  // in the order they became known
};

}  // namespace breakeven
