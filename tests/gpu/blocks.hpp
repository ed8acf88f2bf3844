// SPDX-License-Identifier: Apache-2.0
// Two ways of doing the same work, timed in turn, so that a machine that drifts drifts for both.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

namespace breakeven::gpu {

using Seconds = double;

// Does `count` pieces of work, waits for them, and says how long that took.
using Block = std::function<Seconds(std::size_t count)>;

inline Seconds now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<Seconds>(since).count();
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Comparison {
  Seconds first = 0, second = 0;  // medians of one piece of work
  double ratio = 0;               // median of first / second of neighbouring blocks
};

// As many pieces to a block as take `block`, at least one; `blocks` of each, every other time in
// the other order.
inline Comparison compare(const Block& first, const Block& second, std::size_t blocks,
                          Seconds block = 0.05) {
  first(1);
  second(1);
  const Seconds once = std::max(first(1), second(1));
  const auto count = static_cast<std::size_t>(std::clamp(block / once, 1.0, 1000.0));
  const auto each = static_cast<double>(count);
  std::vector<double> firsts, seconds, ratios;
  for (std::size_t i = 0; i < blocks; ++i) {
    Seconds a = 0, b = 0;
    if (i % 2 == 0) a = first(count);
    b = second(count);
    if (i % 2 == 1) a = first(count);
    firsts.push_back(a / each);
    seconds.push_back(b / each);
    ratios.push_back(a / b);
  }
  return {median(firsts), median(seconds), median(ratios)};
}

}  // namespace breakeven::gpu
