// SPDX-License-Identifier: Apache-2.0
// Work shared out to threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>

#include "../product.hpp"
#include "../space.hpp"

namespace breakeven::kokkos {

// Each thread has a share of parts that follow one another. Where there are more parts than
// threads, one that is done goes on with those of others, which other work holds up or whose
// processors are slower.
class Shares {
 public:
  Shares(std::size_t parts, std::size_t threads)
      : parts_(parts),
        threads_(threads),
        taken_at_once_(std::max<std::size_t>(1, parts / threads / 16)),
        next_(parts > threads ? new Next[threads] : nullptr) {}

  // run(thread, part) of all parts, until they are made. One call at a time.
  template <class Run>
  void make(const Space& space, const Run& run) const {
    using Policy = Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Static>, std::size_t>;
    const auto make = [&](std::size_t thread, std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) run(thread, i);
    };
    if (threads_ == 1) return make(0, 0, parts_);
    if (!next_)
      return Kokkos::parallel_for(Policy(space, 0, threads_), [&](std::size_t thread) {
        make(thread, begin(thread), begin(thread + 1));
      });
    for (std::size_t thread = 0; thread < threads_; ++thread) next_[thread].part = begin(thread);
    Kokkos::parallel_for(Policy(space, 0, threads_), [&](std::size_t thread) {
      for (std::size_t i = 0; i < threads_; ++i) {
        const std::size_t of = (thread + i) % threads_, end = begin(of + 1);
        if (next_[of].part.load(std::memory_order_relaxed) >= end) continue;
        for (std::size_t first; (first = next_[of].part.fetch_add(taken_at_once_)) < end;)
          make(thread, first, std::min(first + taken_at_once_, end));
      }
    });
  }

 private:
  struct alignas(64) Next {
    std::atomic<std::size_t> part;
  };
  std::size_t begin(std::size_t thread) const { return cut(parts_, threads_, thread); }

  std::size_t parts_, threads_, taken_at_once_;
  std::shared_ptr<Next[]> next_;  // of each thread's share; null where it is static
};

}  // namespace breakeven::kokkos
