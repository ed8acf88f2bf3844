// SPDX-License-Identifier: Apache-2.0
// Products by several contenders in turns of about a millisecond, on one thread. The clock is the
// thread's own processor time, so that other load disturbs less.
#pragma once

#include <breakeven/plugin.hpp>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace breakeven {

struct Entrant {
  std::string name;
  std::function<void(const Gemm& gemm)> prepare;
  std::function<void(std::size_t repetitions)> run;
  std::function<void()> check;  // of what the last run left; throws where it is wrong
};

// Prints a line: of each entrant its rate and its share of the peak, measured around each turn by
// `run_peak` (fma_peak.hpp); and its time over that of the first one, the median of the turns with
// a 99 % rank interval. Throws std::runtime_error that names the entrant whose product is wrong, or
// that could not make it.
void compare(const std::string& size, const Gemm& gemm, std::size_t turns,
             const std::vector<Entrant>& entrants, double (*run_peak)(std::size_t steps),
             std::minstd_rand& random);

}  // namespace breakeven
