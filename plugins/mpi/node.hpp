// SPDX-License-Identifier: Apache-2.0
// What a rank says of its node, and takes of it.
#pragma once

#include <cstddef>

#include "plugins/mpi/wire.hpp"

namespace breakeven::mpi {

// All of it but what computes.
void describe_node(Description& description);

// Ranks on one node that may all use the same processors share them evenly, so that they do not
// stand on each other's. What a launcher has bound apart stays. How many the node has. To be called
// by all ranks.
std::size_t take_share_of_processors(std::uint32_t rank, const char (&node)[256]);

// How many ranks that compute come before this one on its node. To be called by all ranks.
std::size_t ranks_before(std::uint32_t rank, const char (&node)[256]);

}  // namespace breakeven::mpi
