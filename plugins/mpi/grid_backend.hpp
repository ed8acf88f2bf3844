// SPDX-License-Identifier: Apache-2.0
// All ranks of MPI as one device. A buffer is dealt out in blocks of its granules, and products and
// norms are those of a library that all ranks call together.
#pragma once

#include <breakeven/plugin.hpp>
#include <memory>
#include <span>

#include "plugins/mpi/team.hpp"

namespace breakeven::mpi {

// What the ranks run, which lies beside the plugin.
struct GridProgram {
  const char* name;
  const char* plugin;  // has the memory of a rank
  std::size_t block;   // the usual rows of one, unless another is clearly faster
};

inline constexpr Option grid_options[] = {
    option_ranks,
    option_hosts,
    option_launcher,
    option_crowd,
    option_limit,
    {"block", "rows of a block that is dealt out; empty: the best of some, by measurement", "", ""},
};

// The manifest's, of those settings. Throws as Team does.
std::unique_ptr<Backend> make_grid(const GridProgram& grid, std::span<const Variable> settings);

}  // namespace breakeven::mpi
