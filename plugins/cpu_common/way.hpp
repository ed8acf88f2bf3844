// SPDX-License-Identifier: Apache-2.0
// In which ways a product may be made, and how the fastest one is found.
#pragma once

#include "plugins/cpu_common/family.hpp"

namespace breakeven::cpu {

// By which rules a shape is cut, and what is decided otherwise than by them. Every way is right for
// every shape. Kernels themselves go by the processor that they run on.
struct Way {
  Family rules = family;
  bool turns_a = false;  // a transposed a is turned round before all else
  bool turns_b = false;  // or a transposed b is
  bool turns_c = false;  // otherwise: the transposed product is made, and c turned round, or not
  bool sums = false;     // otherwise: columns are summed along k, or made by tiles
  bool by_rows = false;  // otherwise: rows of few steps or columns are made one by one, or by tiles
  bool packs = false;    // otherwise: b is copied, or read where it lies
  bool low = false;      // otherwise: tiles are as high as they can be, or low

  bool operator==(const Way&) const = default;
};

// That way with one more decision, which may unmake others: only one thing is turned, and columns
// are summed that lie along k, as those of a turned b do not.
inline Way with(Way way, bool Way::*decision) {
  const bool turns =
      decision == &Way::turns_a || decision == &Way::turns_b || decision == &Way::turns_c;
  if (turns) way.turns_a = way.turns_b = way.turns_c = false;
  if (decision == &Way::turns_b) way.sums = false;
  if (decision == &Way::sums) way.turns_b = false;
  way.*decision = true;
  return way;
}

// Calls `takes(way)` for ways that differ from `fastest` in one thing, of which it returns whether
// they are faster and `fastest` now: one decision after the other, those first that gain most, once
// more those that were not made if others were, what may be worth it only if nothing is turned, or
// only together with what turns, and the rules of other families.
template <class Takes>
void for_every_other_way(const Way& fastest, const Takes& takes) {
  for (int pass = 0, made = 0; pass == 0 || (pass == 1 && made > 0); ++pass)
    for (bool Way::*decision : {&Way::turns_c, &Way::turns_b, &Way::turns_a, &Way::sums,
                                &Way::by_rows, &Way::packs, &Way::low})
      if (!(fastest.*decision)) made += takes(with(fastest, decision)) ? 1 : 0;
  if (fastest.turns_a || fastest.turns_b || fastest.turns_c)
    for (bool Way::*decision : {&Way::sums, &Way::by_rows}) {
      Way way = with(fastest, decision);
      way.turns_a = way.turns_b = way.turns_c = false;
      takes(way);
    }
  for (bool Way::*turns : {&Way::turns_a, &Way::turns_b, &Way::turns_c})
    for (bool Way::*decision : {&Way::sums, &Way::by_rows})
      if (!(fastest.*turns) && !(fastest.*decision) &&
          !(turns == &Way::turns_b && decision == &Way::sums))
        takes(with(with(fastest, turns), decision));
  for (const Family& rules : families) {
    if (rules == family) continue;
    Way way = fastest;
    way.rules = rules;
    takes(way);
  }
}

}  // namespace breakeven::cpu
