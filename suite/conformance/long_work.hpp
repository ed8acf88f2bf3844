// SPDX-License-Identifier: Apache-2.0
// Work that lasts long enough to be caught not being waited for.
#pragma once

#include <functional>

#include "suite/conformance/bench.hpp"

namespace breakeven::conformance {

class LongWork {
 public:
  // Throws NotApplicable where the backend has no product.
  explicit LongWork(Bench& bench);

  // Hands over products that take some time, and one more into an output of its own that is
  // poisoned before.
  void enqueue();
  ExactProduct& last() { return last_; }

  // Repeats `enqueue`, then `check`, with more products each time, until the whole lasts 30 ms.
  void grow(const std::function<void()>& check);

 private:
  ExactProduct first_, last_;
  std::size_t repetitions_ = 1;
};

}  // namespace breakeven::conformance
