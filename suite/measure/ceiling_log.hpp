// SPDX-License-Identifier: Apache-2.0
// Ceilings that are measured again and again in a run: clocks, memory and other load change within
// seconds, and a share holds only against what the machine could do at that time.
#pragma once

#include <cstdint>
#include <vector>

#include "suite/measure/ceilings.hpp"

namespace breakeven {

// Times are nanoseconds of a steady clock, and do not go back.
class CeilingLog {
 public:
  void add(std::int64_t begin_ns, std::int64_t end_ns, const Ceilings& measured);

  // No more than a twentieth of the time goes into measuring again; what the first took does not
  // count. Never before the first.
  bool is_due(std::int64_t now_ns) const;

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
  };
  std::vector<History> histories_;  // in the order they became known
  std::int64_t due_ns_ = 0;
};

}  // namespace breakeven
