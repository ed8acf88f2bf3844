// SPDX-License-Identifier: Apache-2.0
// What one visit of a case measured.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace breakeven {

// Nanoseconds of one repetition, in the order taken.
struct Visit {
  std::vector<double> wall, enqueue, device;
};

// Repetitions with new inputs, all results poisoned, and read after each; in turn with others where
// nothing changed since the last.
struct Audit {
  std::size_t repetitions = 0;
  double shortest_ns = 0;   // of one, with what was put off until its results were read
  double beside_ns = 0;     // the shortest of the others, with what written memory costs; 0: none
  double behind_ns = 0;     // a repetition of some milliseconds behind it, as a rule; 0: none
  double unchanged_ns = 0;  // one before it, of which the host wrote what was there; 0: none
  double took_ns = 0;       // in all, beyond samples of the visit
  double watched_ns = 0;    // from its first repetition on that was slow beside the claim
  double others_ns = 0;     // meanwhile, of processors, in all; a tick of the system more or less
};

// An audited repetition may take so many times what one beside it does, or beyond a millisecond
// (threads that have to be woken) what is claimed, or what one took before it of which nothing was
// new but whose results and inputs the caches had in the same way.
inline constexpr double tolerated = 2;
inline bool is_slow(const Audit& audit, double claimed_ns) {
  constexpr double waking_ns = 1e6;
  return audit.shortest_ns > tolerated * (audit.beside_ns > 0 ? audit.beside_ns : claimed_ns) ||
         audit.shortest_ns > tolerated * std::max(claimed_ns, audit.unchanged_ns) + waking_ns ||
         audit.behind_ns > tolerated * claimed_ns;
}

// So was what stood beside it or behind it, where nothing was new: a busy machine does that, and so
// does a backend that notices audits.
inline bool is_slow_as_a_whole(const Audit& audit, double claimed_ns) {
  return is_slow(audit, claimed_ns) && audit.shortest_ns <= tolerated * audit.beside_ns;
}

}  // namespace breakeven
