// SPDX-License-Identifier: Apache-2.0
// The best rates that cases were seen at, from which it is known what more of the same takes.
#pragma once

#include <vector>

#include "suite/model/key.hpp"
#include "suite/model/prepared_case.hpp"

namespace breakeven {

// Latency is told from rate: of cases that differ in size alone, the shortest may be nothing but
// latency, so that a rate is what a longer one does more, in the time that it takes more, of at
// least a millisecond. What takes 0.1 s is no latency.
class RatesSeen {
 public:
  void add(const Key& key, const Work& work, double repetition_ns);

  // What a repetition takes at least, at the best rate of any case; 0: that is not known yet.
  double least_ns(const Work& work) const;

 private:
  struct Shortest {
    Key of;  // without its size
    double flops = 0, bytes = 0, ns = 0;
  };
  std::vector<Shortest> shortest_;
  double flops_per_ns_ = 0, bytes_per_ns_ = 0;
};

}  // namespace breakeven
