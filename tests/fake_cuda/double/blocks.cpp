// SPDX-License-Identifier: Apache-2.0
// A grid is its blocks, one after the other, the threads of each in another order.
#include <cstdio>
#include <cstdlib>

#include "faults.hpp"
#include "kernel_language.hpp"
#include "launch.hpp"

namespace fake_cuda {

namespace {

thread_local uint3 block_in_work;
thread_local dim3 blocks_now, threads_now;

}  // namespace

uint3 thread_index() {
  const unsigned i = breakeven::block::this_thread();
  const dim3& of = threads_now;
  return {i % of.x, i / of.x % of.y, i / (of.x * of.y)};
}

uint3 block_index() {
  return block_in_work;
}

dim3 block_size() {
  return threads_now;
}

dim3 grid_size() {
  return blocks_now;
}

void barrier(breakeven::block::Site site) {
  if (!is_skipped("__syncthreads")) breakeven::block::barrier(site);
}

void run_blocks(const Launch& launch, std::span<const breakeven::block::Array> arrays,
                const std::function<void()>& thread) {
  using breakeven::block::Order;
  constexpr Order orders[] = {Order::ascending, Order::descending, Order::random};
  blocks_now = launch.grid, threads_now = launch.block;
  const unsigned count = launch.grid.x * launch.grid.y * launch.grid.z;
  for (unsigned i = 0; i < count; ++i) {
    block_in_work = {i % launch.grid.x, i / launch.grid.x % launch.grid.y,
                     i / (launch.grid.x * launch.grid.y)};
    try {
      breakeven::block::run({.threads = launch.block.x * launch.block.y * launch.block.z,
                             .order = orders[i % 3],
                             .seed = i,
                             .arrays = arrays},
                            [&](unsigned) { thread(); });
    } catch (const breakeven::block::Fault& fault) {
      std::fprintf(stderr, "fake CUDA: %.*s, block %u: %s\n", static_cast<int>(launch.name.size()),
                   launch.name.data(), i, fault.what());
      std::abort();
    }
  }
}

}  // namespace fake_cuda
