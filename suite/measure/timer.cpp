// SPDX-License-Identifier: Apache-2.0
#include "suite/measure/timer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace breakeven {
namespace {

// A clock that steps by more than a reading repeats itself; one that steps by less shows its step
// in how the differences differ. Both: the closest two of zero and the differences.
double resolution(Clock& clock) {
  std::array<std::int64_t, 4096> readings;
  for (std::int64_t& reading : readings) reading = clock.now();
  std::vector<std::int64_t> steps{0};
  for (std::size_t i = 1; i < readings.size(); ++i) {
    steps.push_back(readings[i] - readings[i - 1]);
  }
  std::sort(steps.begin(), steps.end());
  std::int64_t smallest = 0;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const std::int64_t step = steps[i] - steps[i - 1];
    if (step > 0 && (smallest == 0 || step < smallest)) smallest = step;
  }
  return static_cast<double>(smallest);
}

double overhead(Clock& clock) {
  constexpr std::size_t readings_per_block = 1000;
  std::array<double, 21> blocks;
  for (double& block : blocks) {
    const std::int64_t start = clock.now();
    for (std::size_t i = 1; i < readings_per_block; ++i) clock.now();
    block = static_cast<double>(clock.now() - start) / readings_per_block;
  }
  std::nth_element(blocks.begin(), blocks.begin() + blocks.size() / 2, blocks.end());
  return blocks[blocks.size() / 2];
}

}  // namespace

Timer measure_timer(Clock& clock) {
  return {resolution(clock), overhead(clock)};
}

double shortest_sample_ns(const Timer& timer) {
  return std::max(1000 * timer.resolution_ns, 100 * timer.overhead_ns);
}

}  // namespace breakeven
