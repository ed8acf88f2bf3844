// SPDX-License-Identifier: Apache-2.0
// Two sides that a search can make do the same work at any size: two live workers, or a
// simulation with a known crossing.
#pragma once

#include <cstddef>
#include <stdexcept>

#include "reports/break_even/finding.hpp"

namespace breakeven {

// This size cannot be measured (out of memory, unsupported, crashed); others may.
class SizeRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Nanoseconds per repetition: the medians of two blocks, one of each side, next to one another in
// time.
struct Pair {
  double from = 0, to = 0;
};

class PairSource {
 public:
  virtual ~PairSource() = default;
  // Makes both sides ready at `size`. Throws SizeRefused.
  virtual void enter(std::size_t size) = 0;
  // At the size entered. Throws SizeRefused.
  virtual Pair block() = 0;
  // This visit to the size entered is over, and what it alone found.
  virtual void leave(Faster) {}
  // Seconds that the search has taken so far, everything included.
  virtual double spent() const = 0;
};

}  // namespace breakeven
