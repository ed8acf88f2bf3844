// SPDX-License-Identifier: Apache-2.0
// The parts of a routine, and what share of its time each one takes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "suite/cases/routine.hpp"

namespace breakeven {

class Stages {
 public:
  // Empty stages are left out.
  void add(std::string_view name, std::vector<Task*> tasks);

  // All of them in order, waited for at the end.
  Routine all(Queue& queue) const;

  // Runs the stages five times with a wait after each. Not for use inside the clock.
  void measure_shares(Queue& queue);

  // `upload_share=0.31`, of the sum of the stages' medians; nothing before measure_shares.
  std::vector<std::pair<std::string, std::string>> shares() const;

 private:
  struct Stage {
    std::string name;
    std::vector<Task*> tasks;
    double median = 0;  // nanoseconds
  };
  std::vector<Stage> stages_;
};

}  // namespace breakeven
