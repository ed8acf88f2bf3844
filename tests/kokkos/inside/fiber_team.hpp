// SPDX-License-Identifier: Apache-2.0
// What kernels ask of a team of Kokkos, on a block of fibers.
#pragma once

#include <cstddef>

#include "tests/support/block/block.hpp"

namespace breakeven::kokkos {

struct FiberTeam {
  struct Scratch {
    void* get_shmem_aligned(std::size_t bytes, std::size_t) const { return block::shared(bytes); }
  };
  int league, threads;
  int without = -1;  // the barrier to leave out, the how many-th of the kernel; -1: none
  mutable int met = 0;

  int league_rank() const { return league; }
  int team_rank() const { return static_cast<int>(block::this_thread()); }
  int team_size() const { return threads; }
  void team_barrier() const {
    if (met++ != without) block::barrier({__FILE__, __LINE__});
  }
  Scratch team_scratch(int) const { return {}; }

  template <class Reducer>
  void team_reduce(const Reducer& reducer) const {
    auto* const all = static_cast<typename Reducer::value_type*>(
        block::shared(sizeof(typename Reducer::value_type) * static_cast<std::size_t>(threads)));
    all[team_rank()] = reducer.reference();
    block::barrier({__FILE__, __LINE__});
    reducer.init(reducer.reference());
    for (int i = 0; i < threads; ++i) reducer.join(reducer.reference(), all[i]);
  }
};

}  // namespace breakeven::kokkos
