// SPDX-License-Identifier: Apache-2.0
// In which ways a product may be made, and how the fastest one is found.
#pragma once

#include "plugins/cpu_common/family.hpp"

namespace breakeven::cpu {

// By which rules a shape is cut, and what is decided otherwise than by them. Every way is right for
// every shape.
struct Way {
  Family rules = family;
  bool turns_b = false;  // a transposed b is turned round before all else
  bool turns_c = false;  // otherwise: the transposed product is made, and c turned round, or not
  bool sums = false;     // otherwise: columns are summed along k, or made by tiles
  bool by_rows = false;  // otherwise: rows of a few steps are made one by one, or by tiles
  bool packs = false;    // otherwise: b is copied, or read where it lies
  bool low = false;      // otherwise: tiles are as high as they can be, or low
};

// One decision after the other, each beside the fastest way so far; `replaces(way)` tells whether
// it is faster.
template <class Replaces>
Way fastest_way(const Replaces& replaces) {
  Way fastest;
  const auto attempt = [&](const Way& way) {
    if (replaces(way)) fastest = way;
  };
  for (bool Way::*decision :
       {&Way::turns_b, &Way::turns_c, &Way::sums, &Way::by_rows, &Way::packs, &Way::low}) {
    Way way = fastest;
    way.*decision = true;
    attempt(way);
  }
  for (const Family& rules : families) {
    if (rules == family) continue;
    Way way = fastest;
    way.rules = rules;
    attempt(way);
  }
  return fastest;
}

}  // namespace breakeven::cpu
