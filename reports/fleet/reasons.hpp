// SPDX-License-Identifier: Apache-2.0
// What is different about a node that is not as the others.
#pragma once

#include <string>
#include <vector>

#include "reports/fleet/judgement.hpp"

namespace breakeven::fleet {

// `AMD EPYC 9654, 2 sockets, 192 cores; NVIDIA H200`: of nodes of equal hardware.
std::string hardware_text(const Fleet& fleet, const std::vector<std::size_t>& nodes);

// Fills what is normal with the facts that most nodes share and the numbers that they show; nodes
// that are out are left out.
void learn_habits(const Fleet& fleet, Group& group);

// Fills the reasons of every verdict, and tells what slow nodes have in common and no other has.
void explain(const Fleet& fleet, Group& group);

// Facts that nearly all of the ones tell otherwise than nearly all of the others, `microcode: 0x1
// and 0x2`.
std::vector<std::string> what_parts(const Fleet& fleet, const std::vector<std::size_t>& ones,
                                    const std::vector<std::size_t>& others);

// Of another type of machine: how many times as long it takes as the nodes of `base` over the cases
// that both have, where the most and where the least, and what its processor and libraries are
// instead. Empty: they have none in common.
std::string beside(const Fleet& fleet, const Group& base, const Group& other);

}  // namespace breakeven::fleet
