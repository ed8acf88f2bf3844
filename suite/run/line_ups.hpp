// SPDX-License-Identifier: Apache-2.0
// Which cases of a plan are measured beside each other.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "suite/engine/contender.hpp"
#include "suite/engine/workers.hpp"

namespace breakeven {

// Bytes that one line-up may use: on the host, and on each physical device that has memory of its
// own. Two backends on one GPU share it.
struct Room {
  double host = 0;
  std::map<std::string, double> devices = {};  // by hardware_of

  double least() const;
};

// Opens the workers of all that is planned, since they need memory themselves, and reads what is
// left: half of it on the host and in its control group, nine tenths on a device.
Room room_for_line_ups(const std::vector<const PlannedCase*>& planned, Workers& workers);

struct LineUpPlan {
  std::vector<Contender> contenders;  // of one match next to one another
};

// Contenders of one key are in one line-up, keys in the order of the plan, as many as fit. Where
// the backends of a key do not fit together they take turns, one line-up each; where two backends
// cannot live together all cases of one come before those of the other; and the rows say so. A case
// that wants fresh workers is alone. What fits nowhere, or whose plugin cannot be used, is done
// already.
std::vector<LineUpPlan> line_ups_of(const std::vector<const PlannedCase*>& planned,
                                    const Room& room);

}  // namespace breakeven
